// A library to preload (ld.so(8), LD_PRELOAD): it exports functions of the C library and has no other interface.
