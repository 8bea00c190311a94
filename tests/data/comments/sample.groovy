// yes
/* yes */
def a = "no // no /* no */ ${f("no // no")}" // yes
def b = 'no // no' // yes
def c = """no " // no
no""" // yes
def d = '''no ' // no
no''' // yes
def e = x =~ /no \/\/ no/ // yes
def f = 4 / 2 // yes
def g = $/no / // no " no/$ // yes
