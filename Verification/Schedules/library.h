#ifndef LIBRARY_H
#define LIBRARY_H

/// Makes the library as it was at the start of the process. That garbage is left, or a record that a thread has not given
/// back, is a finding.
void library_forget(void);

#endif
