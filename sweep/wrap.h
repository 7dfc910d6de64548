/*
 * wrap: sentences in lines that a terminal does not break itself.
 */
#ifndef SWEEP_WRAP_H
#define SWEEP_WRAP_H

#include <stdio.h>

/* Characters of UTF-8 text, one column each. */
unsigned wrap_width(const char *text);

/*
 * Print text and a newline, broken at blanks so that no line is longer than
 * width; not behind a number, whose unit stays with it. The cursor stands at
 * `column` already; further lines begin with `indent` blanks. A word that fits
 * no line stays whole.
 */
void wrap_print(FILE *f, const char *text, unsigned column, unsigned indent,
		unsigned width);

#endif
