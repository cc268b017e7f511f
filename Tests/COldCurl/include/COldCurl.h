// A library to load in place of libcurl, whose functions it exports. It has no other interface.
