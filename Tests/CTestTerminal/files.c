#include "CTestTerminal.h"

#include <unistd.h>

#ifdef __linux__
#include <sys/fsuid.h>
int flick_set_file_user(unsigned user) { return setfsuid(user); }
#else
int flick_set_file_user(unsigned user) { int before = (int)geteuid(); return seteuid(user) == 0 ? before : -1; }
#endif
