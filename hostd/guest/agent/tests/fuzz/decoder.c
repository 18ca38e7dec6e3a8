/* libFuzzer entry (`make fuzz`): any bytes after a session's start, in pieces whose sizes the input chooses too. */
#include "../../src/frame.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct decoder decoder;
	struct frame frame;
	decoder_reset(&decoder);
	decoder.hunting = false;
	while (size > 0) {
		size_t space, part = 1 + data[0] * 67u;
		uint8_t *place = decoder_space(&decoder, &space);
		part = part < size ? part : size;
		part = part < space ? part : space;
		memcpy(place, data, part);
		decoder_filled(&decoder, part);
		data += part;
		size -= part;
		while (decoder_next(&decoder, &frame))
			if (frame.payload + frame.len + FRAME_TRAILER > decoder.buf + decoder.end)
				__builtin_trap();
	}
	return 0;
}
