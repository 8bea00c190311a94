" yes
let a = "no"
  " yes
