// Adversaries for CRegistry, in C so that nothing but the registry itself stands between the threads.
#ifndef CTORTURE_H
#define CTORTURE_H
#endif
