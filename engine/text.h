/*
 * text: texts from outside (paths, labels, device models, reasons) made fit
 * for one line of UTF-8 that cannot steer a terminal.
 */
#ifndef ENGINE_TEXT_H
#define ENGINE_TEXT_H

#include <stddef.h>

/*
 * Bytes of the character at s: 1 to 4 when it is valid UTF-8 (shortest form,
 * no surrogate, at most U+10FFFF) and no control character (C0, DEL, C1), 0
 * otherwise and at the end of the text.
 */
size_t text_sequence(const char *s);

/* Each byte that is part of no such character becomes '?', in place: the
 * length stays. */
void text_clean(char *s);

#endif
