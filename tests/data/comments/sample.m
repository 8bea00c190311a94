#import <Foundation/Foundation.h> // yes
/* yes */
@implementation A
- (void)f { NSLog(@"no // no /* no */"); }
@end
