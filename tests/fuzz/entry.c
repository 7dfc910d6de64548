/* The entry of a libFuzzer program for the reader FUZZ_READER: make fuzz. */
#include <stdlib.h>

#include "tests/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader *reader;

	if (!reader)
		reader = reader_find(FUZZ_READER);
	if (!reader)
		abort();
	reader->feed(data, size);
	return 0;
}
