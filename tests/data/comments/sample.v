// yes
/* yes */
initial $display("no // no /* no */"); // yes
assign a = 4'b0101; // yes
