/*
 * outfolder: the name of a new run folder. It is chosen, and looked at, before
 * the first target is laid out: that may take an hour, and a folder that is in
 * the way would then cost it.
 */
#ifndef SWEEP_OUTFOLDER_H
#define SWEEP_OUTFOLDER_H

#include "engine/err.h"

/*
 * out, or without it (NULL) results/<UTC stamp>-<label>, the label reduced to
 * what every file system and shell takes, with -2, -3, ... behind it where
 * that is taken. The path is the caller's to free; nothing is created. 0, or
 * -errno with a sentence: out is there already, or cannot be made.
 */
int outfolder_choose(const char *out, const char *label, char **path,
		     struct err *err);

#endif
