#include "engine/backend.h"

const struct backend_ops *backend_by_kind(enum engine_kind kind)
{
	static const struct backend_ops *const table[ENGINE_COUNT] = {
	    [ENGINE_IO_URING] = &backend_uring,
	    [ENGINE_LIBAIO] = &backend_aio,
	    [ENGINE_SYNC] = &backend_sync,
	    [ENGINE_NULL] = &backend_null,
	};

	return table[kind];
}
