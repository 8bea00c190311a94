# yes
a <- "no # no" # yes
b <- 'no # no' # yes
c <- r"(no " # no)" # yes
d <- x %#% y # yes
#' yes: documentation
