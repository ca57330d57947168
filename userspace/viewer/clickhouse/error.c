// SPDX-License-Identifier: GPL-2.0
/*
 * error.c - errors that a ClickHouse server answers: of a statement, or of the server
 *
 * The numbers have not changed since 2018; names of new servers are in comments.
 */
#include "error.h"

#include <stdio.h>
#include <string.h>

/*
 * Errors after which the same statement may succeed later: of connections, disks, memory, rights,
 * replicas, or because the server is busy, is shutting down, or has lost a table, which is made
 * again. Others refuse the statement or its rows.
 */
static const unsigned short troubles[] = {
	23, 24,			/* CANNOT_READ_FROM_ISTREAM, CANNOT_WRITE_TO_OSTREAM */
	60,			/* UNKNOWN_TABLE */
	74, 75, 76, 77,		/* CANNOT_{READ,WRITE,OPEN,CLOSE}_FILE... */
	81,			/* UNKNOWN_DATABASE */
	87, 88,			/* CANNOT_SEEK_THROUGH_FILE, CANNOT_TRUNCATE_FILE */
	95, 96,			/* CANNOT_READ_FROM_SOCKET, CANNOT_WRITE_TO_SOCKET */
	107,			/* FILE_DOESNT_EXIST */
	159, 160,		/* TIMEOUT_EXCEEDED, TOO_SLOW */
	164,			/* READONLY */
	172, 173,		/* CANNOT_CREATE_DIRECTORY, CANNOT_ALLOCATE_MEMORY */
	180,			/* THERE_IS_NO_PROFILE */
	192, 193, 194, 195,	/* UNKNOWN_USER ... IP_ADDRESS_NOT_ALLOWED */
	198,			/* DNS_ERROR */
	201, 202, 203, 204,	/* QUOTA_EXCEEDED ... CANNOT_FSYNC */
	209, 210,		/* SOCKET_TIMEOUT, NETWORK_ERROR */
	214,			/* CANNOT_STATVFS */
	218,			/* TABLE_IS_DROPPED */
	225,			/* NO_ZOOKEEPER */
	231,			/* TOO_MANY_UNEXPECTED_DATA_PARTS */
	236,			/* ABORTED */
	239, 240,		/* CANNOT_MUNMAP, CANNOT_MREMAP */
	241, 242, 243, 244,	/* MEMORY_LIMIT_EXCEEDED ... UNEXPECTED_ZOOKEEPER_ERROR */
	252,			/* TOO_MANY_PARTS */
	254, 255, 265,		/* NO_ACTIVE_REPLICAS ... NO_AVAILABLE_REPLICA */
	272, 273, 274, 275,	/* CANNOT_IO_SUBMIT ... AIO_WRITE_ERROR */
	279,			/* ALL_CONNECTION_TRIES_FAILED */
	285, 286, 289,		/* TOO_FEW_LIVE_REPLICAS ... REPLICA_IS_NOT_IN_QUORUM */
	291,			/* DATABASE_ACCESS_DENIED */
	298, 299, 303,		/* CANNOT_PIPE, CANNOT_FORK, CANNOT_SELECT */
	319,			/* UNKNOWN_STATUS_OF_INSERT */
	335, 337, 341,		/* BARRIER_TIMEOUT, DDL_GUARD_IS_ACTIVE, UNFINISHED */
	364, 367,		/* RECEIVED_ERROR_TOO_MANY_REQUESTS, TOO_MANY_FETCHES */
	369, 373, 379, 384,	/* ALL_REPLICAS_ARE_STALE ... PART_IS_TEMPORARILY_LOCKED */
	394,			/* QUERY_WAS_CANCELLED */
	400, 402,		/* CANNOT_STAT, CANNOT_IOSETUP */
	410, 411,		/* EXTERNAL_SERVER_IS_NOT_RESPONDING, PTHREAD_ERROR */
	415, 416, 425, 439,	/* ALL_REPLICAS_LOST ... CANNOT_SCHEDULE_TASK */
	454, 458, 473,		/* OPENSSL_ERROR, CANNOT_UNLINK, DEADLOCK_AVOIDED */
	481, 495, 497, 499,	/* PATH_ACCESS_DENIED ... S3_ERROR */
	516, 519, 529, 531,	/* AUTHENTICATION_FAILED ... CANNOT_FSTAT */
	999, 1000, 1001, 1002,	/* KEEPER_EXCEPTION ... UNKNOWN_EXCEPTION */
};

/* Statuses that say so themselves: rights, time, requests, a server in between or at its end */
static const unsigned short trouble_statuses[] = { 401, 403, 407, 408, 429, 502, 503, 504 };
/* Statuses without an error of ClickHouse that are about the request: it is wrong, or too long. */
static const unsigned short refusal_statuses[] = { 400, 413, 414, 431 };

static bool has(const unsigned short *list, size_t nr, unsigned long number)
{
	size_t i = 0;

	while (i < nr && list[i] != number)
		i++;
	return i < nr;
}

#define HAS(list, number) has(list, sizeof(list) / sizeof((list)[0]), number)

/* True if the error is of these rows although its number says otherwise. */
static bool is_of_rows(const char *text)
{
	/* A name in them is too long for a file of the server; "36" is ENAMETOOLONG. */
	return strstr(text, "File name too long") || strstr(text, "e.code() = 36,") ||
	       /* TOO_MANY_PARTS: rows of more days than an INSERT may have */
	       strstr(text, "Too many partitions for single INSERT");
}

static bool is_refusal(const struct clickhouse *c, unsigned long status)
{
	if (HAS(trouble_statuses, status))
		return false;
	if (!c->code)
		return HAS(refusal_statuses, status);
	return is_of_rows(c->error) || !HAS(troubles, c->code);
}

/*
 * Leaves of the text what is for people: "Code: 47, e.displayText() = DB::Exception: TEXT, e.what()
 * = DB::Exception", later "Code: 47. DB::Exception: TEXT. (NAME) (version ...)". Other classes of
 * exceptions have other words before TEXT.
 */
static void take_text(char *error)
{
	static const char *const begins[] = { "Exception: ", "e.displayText() = " };
	char *at = NULL, *end;

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]) && !at; i++) {
		at = strstr(error, begins[i]);
		at += at ? strlen(begins[i]) : 0;
	}
	if (!at)
		return;
	memmove(error, at, strlen(at) + 1);
	end = strstr(error, ", e.what() = ");
	if (!end)
		end = strstr(error, " (version ");
	if (end)
		*end = '\0';
	error[strcspn(error, "\r\n")] = '\0';
}

void clickhouse_take_error(struct clickhouse *c, long status)
{
	const char *code = strstr(c->error, "Code: ");

	if (!c->error[0])
		snprintf(c->error, sizeof(c->error), "HTTP status %ld", status);
	else if (code)
		sscanf(code, "Code: %u", &c->code);
	c->is_refusal = is_refusal(c, (unsigned long)status);
	if (c->code)
		take_text(c->error);
}
