#ifndef CHEAP_H
#define CHEAP_H

/// Returns the bytes that the process has allocated and not freed, or a negative number if the system does not report it.
long long heap_allocated_bytes(void);

#endif
