// SPDX-License-Identifier: GPL-2.0
/* times.c - finds when packets begin and end, by the library's query "trace-infos" */
#include "times.h"

static const bt_value *member(const bt_value *map, const char *key)
{
	return map && bt_value_is_map(map) ?
	       bt_value_map_borrow_entry_value_const(map, key) : NULL;
}

static const bt_value *element(const bt_value *array, __u64 i)
{
	return array && bt_value_is_array(array) && i < bt_value_array_get_length(array) ?
	       bt_value_array_borrow_element_by_index_const(array, i) : NULL;
}

static void widen(const bt_value *stream, __u64 *from, __u64 *until)
{
	const bt_value *range = member(stream, "range-ns");
	const bt_value *begin = member(range, "begin"), *end = member(range, "end");

	if (!begin || !end || bt_value_integer_signed_get(begin) < 0 ||
	    bt_value_integer_signed_get(end) < 0)
		return;
	if ((__u64)bt_value_integer_signed_get(begin) < *from)
		*from = (__u64)bt_value_integer_signed_get(begin);
	if ((__u64)bt_value_integer_signed_get(end) > *until)
		*until = (__u64)bt_value_integer_signed_get(end);
}

void times_widen(const bt_component_class_source *class, const bt_value *params, __u64 *from,
		 __u64 *until)
{
	bt_query_executor *query = bt_query_executor_create(
		bt_component_class_source_as_component_class_const(class),
		"babeltrace.trace-infos", params);
	const bt_value *result = NULL, *trace, *stream;
	bt_query_executor_query_status status = BT_QUERY_EXECUTOR_QUERY_STATUS_ERROR;

	if (query)
		do
			status = bt_query_executor_query(query, &result);
		while (status == BT_QUERY_EXECUTOR_QUERY_STATUS_AGAIN);
	for (__u64 i = 0; !status && (trace = element(result, i)); i++)
		for (__u64 k = 0; (stream = element(member(trace, "stream-infos"), k)); k++)
			widen(stream, from, until);
	bt_current_thread_clear_error();
	bt_value_put_ref(result);
	bt_query_executor_put_ref(query);
}
