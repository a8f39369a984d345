#ifndef FENCEPOST_H
#define FENCEPOST_H
#endif
