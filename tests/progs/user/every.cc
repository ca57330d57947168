// SPDX-License-Identifier: GPL-2.0
/* every.cc - events in C++: templates, inline members, lambdas, static objects */
#include <cstdio>
#include <string>
#include "every.h"

KTRACE_EVENT(cxx, method, ktrace_string(name), ktrace_u64(count));

namespace {

struct early {
	early() { ktrace(cxx, method, "constructor", 0); }
	~early() { ktrace(cxx, method, "destructor", 0); }
} the_early;

} // namespace

/* Not static, so that the compiler puts it into a group of its own. */
template <typename T> struct counter {
	T count = 0;
	inline void add(const std::string &name)
	{
		ktrace(cxx, method, name.c_str(), static_cast<uint64_t>(++count));
	}
};

template struct counter<int>;
template struct counter<long>;

inline void in_a_group(int i)
{
	ktrace(cxx, method, "inline", static_cast<uint64_t>(i));
}

void (*volatile pointer_to_inline)(int) = in_a_group;

int main()
{
	int calls = 0;
	counter<int> a;
	counter<long> b;

	a.add("int");
	b.add("long");
	[&] { ktrace(cxx, method, "lambda", 1); }();
	pointer_to_inline(1);
	record_every(&calls);
	record_elsewhere(&calls);
	std::printf("calls %d\n", calls);
	return 0;
}
