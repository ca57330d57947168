/* SPDX-License-Identifier: GPL-2.0 */
/* error.h - errors that a ClickHouse server answers */
#ifndef VIEWER_CLICKHOUSE_ERROR_H
#define VIEWER_CLICKHOUSE_ERROR_H

#include "clickhouse.h"

/* Sets @code, @is_refusal and @error of an answer with this HTTP status; @error is its text. */
void clickhouse_take_error(struct clickhouse *c, long status);

#endif
