// SPDX-License-Identifier: GPL-2.0
/*
 * kprobe_args.c - resolves names of arguments for kernels that know only their numbers
 *
 * Linux before 6.4 takes $arg1, $arg2 and so on, without their types. Names and types are in
 * its BTF. Words that are not names of arguments are left to the kernel to check.
 */
#include "kprobe_args.h"

#include <bpf/btf.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs.h"

#define NAME_SIZE 128
#define TYPE_DEPTH_MAX 32

/**
 * struct prototype - a function whose arguments are looked up
 * @base:	BTF of vmlinux, NULL = there is none
 * @btf:	BTF with the function: @base, or that of its module
 * @params:	its arguments, NULL = function not found
 * @nr:		number of @params
 */
struct prototype {
	struct btf *base;
	struct btf *btf;
	const struct btf_param *params;
	unsigned int nr;
};

/**
 * struct argument - one word of a probe's text
 * @name:	name before "=", length 0 = none
 * @fetch:	expression for the value
 * @type:	type after ":", length 0 = none
 */
struct argument {
	const char *name;
	size_t name_len;
	const char *fetch;
	size_t fetch_len;
	const char *type;
	size_t type_len;
};

/* True if the kernel itself knows names of arguments, according to the README in tracefs. */
static bool is_native(void)
{
	char *readme = tracefs_read("README");
	bool is = readme && strstr(readme, "<argname>[->field");

	free(readme);
	return is;
}

static bool is_identifier(const char *s, size_t n)
{
	if (!n || (!isalpha((unsigned char)*s) && *s != '_'))
		return false;
	for (size_t i = 1; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return true;
}

static struct argument take_apart(const char *word, size_t n)
{
	struct argument a = { .fetch = word, .fetch_len = n };
	const char *equals = memchr(word, '=', n), *colon;

	if (equals && is_identifier(word, (size_t)(equals - word))) {
		a.name = word;
		a.name_len = (size_t)(equals - word);
		a.fetch = equals + 1;
		a.fetch_len = n - a.name_len - 1;
	}
	colon = memrchr(a.fetch, ':', a.fetch_len);
	if (colon) {
		a.type = colon + 1;
		a.type_len = a.fetch_len - (size_t)(a.type - a.fetch);
		a.fetch_len = (size_t)(colon - a.fetch);
	}
	return a;
}

/* Looks up "[MODULE:]FUNCTION"; not with "+OFFSET": arguments are known only at entry. */
static void find_prototype(struct prototype *p, const char *where, size_t n)
{
	static struct btf *vmlinux;
	const char *colon = memchr(where, ':', n);
	const struct btf_type *t;
	char name[NAME_SIZE];
	int id;

	/* Loaded only once: a pattern looks up many functions. */
	if (!vmlinux)
		vmlinux = btf__load_vmlinux_btf();
	*p = (struct prototype){ .base = vmlinux };
	p->btf = p->base;
	if (colon && p->base) {
		snprintf(name, sizeof(name), "%.*s", (int)(colon - where), where);
		p->btf = btf__load_module_btf(name, p->base);
		n -= (size_t)(colon + 1 - where);
		where = colon + 1;
	}
	if (!p->btf)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)n, where);
	id = btf__find_by_name_kind(p->btf, name, BTF_KIND_FUNC);
	t = id > 0 ? btf__type_by_id(p->btf, (__u32)id) : NULL;
	t = t ? btf__type_by_id(p->btf, t->type) : NULL;
	if (!t || !btf_is_func_proto(t))
		return;
	p->params = btf_params(t);
	p->nr = btf_vlen(t);
}

static void free_prototype(struct prototype *p)
{
	if (p->btf != p->base)
		btf__free(p->btf);
}

/* Returns the number of the argument, from 1 on; 0 = no argument has that name */
static unsigned int find_param(const struct prototype *p, const char *name, size_t n)
{
	for (unsigned int i = 0; i < p->nr; i++) {
		const char *s = btf__name_by_offset(p->btf, p->params[i].name_off);

		if (s && strlen(s) == n && !memcmp(s, name, n))
			return i + 1;
	}
	return 0;
}

/* Writes the type as the kernel spells it; everything but integers is an address. */
static void type_name(const struct prototype *p, unsigned int number, char out[8])
{
	const struct btf_type *t = btf__type_by_id(p->btf, p->params[number - 1].type);
	bool is_signed;

	for (int i = 0; t && i < TYPE_DEPTH_MAX && (btf_is_mod(t) || btf_is_typedef(t)); i++)
		t = btf__type_by_id(p->btf, t->type);
	if (!t || !(btf_is_int(t) || btf_is_any_enum(t)) || t->size > 8) {
		strcpy(out, "x64");
		return;
	}
	is_signed = btf_is_int(t) ? btf_int_encoding(t) & BTF_INT_SIGNED : btf_kflag(t);
	snprintf(out, 8, "%c%u", is_signed ? 's' : 'u', 8 * t->size);
}

static bool is_string_type(const struct argument *a)
{
	return memmem(a->type, a->type_len, "string", 6) ||
	       memmem(a->type, a->type_len, "symstr", 6);
}

/* Writes one word, with a number in place of its name. */
static int put_param(char *out, size_t size, const struct prototype *p,
		     const struct argument *a, unsigned int number)
{
	const char *name = a->name_len ? a->name : a->fetch;
	size_t len = a->name_len ? a->name_len : a->fetch_len;
	char type[8];

	if (a->type_len && is_string_type(a))	/* dereferences the pointer */
		return snprintf(out, size, " %.*s=+0($arg%u):%.*s", (int)len, name, number,
				(int)a->type_len, a->type);
	if (a->type_len)
		return snprintf(out, size, " %.*s=$arg%u:%.*s", (int)len, name, number,
				(int)a->type_len, a->type);
	type_name(p, number, type);
	return snprintf(out, size, " %.*s=$arg%u:%s", (int)len, name, number, type);
}

static int put_word(char *out, size_t size, const struct prototype *p, const char *word,
		    size_t n, char *reason, size_t reason_size)
{
	const struct argument a = take_apart(word, n);
	unsigned int number;

	if (memmem(a.fetch, a.fetch_len, "->", 2) && isalpha((unsigned char)*a.fetch)) {
		snprintf(reason, reason_size, "this kernel does not support members of arguments "
			 "by name: use +OFFSET(%%REGISTER)");
		return -EOPNOTSUPP;
	}
	if (!is_identifier(a.fetch, a.fetch_len))
		return snprintf(out, size, " %.*s", (int)n, word);
	number = find_param(p, a.fetch, a.fetch_len);
	if (number)
		return put_param(out, size, p, &a, number);
	snprintf(reason, reason_size, "%s '%.*s'", !p->base ?
		 "without BTF (/sys/kernel/btf/vmlinux) ktraced cannot resolve argument" :
		 p->params ? "the function has no argument" :
		 "the kernel's BTF does not name the function's arguments: cannot resolve",
		 (int)a.fetch_len, a.fetch);
	return -ENOENT;
}

static int put_words(const char *probe, char *out, size_t size, char *reason,
		     size_t reason_size, size_t *column)
{
	size_t n = strcspn(probe, " "), len = n;
	struct prototype p;
	int wrote = 0;

	if (n >= size)
		return -ENAMETOOLONG;
	memcpy(out, probe, n);
	out[n] = '\0';
	find_prototype(&p, probe, n);
	for (const char *word = probe + n; wrote >= 0; word += n) {
		word += strspn(word, " ");
		n = strcspn(word, " ");
		if (!n)
			break;
		*column = (size_t)(word - probe);
		wrote = put_word(out + len, size - len, &p, word, n, reason, reason_size);
		if (wrote >= 0 && (size_t)wrote >= size - len)
			wrote = -ENAMETOOLONG;
		len += wrote > 0 ? (size_t)wrote : 0;
	}
	free_prototype(&p);
	return wrote < 0 ? wrote : 0;
}

int kprobe_args_resolve(const char *probe, char *out, size_t size, char *reason,
			size_t reason_size, size_t *column)
{
	int error;

	*column = 0;
	if (!strchr(probe, ' ') || is_native()) {
		if (strlen(probe) >= size)
			return -ENAMETOOLONG;
		strcpy(out, probe);
		return 0;
	}
	reason[0] = '\0';
	error = put_words(probe, out, size, reason, reason_size, column);
	if (error && !*reason)
		snprintf(reason, reason_size, "%s", strerror(-error));
	return error;
}
