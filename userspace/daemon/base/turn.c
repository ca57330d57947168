// SPDX-License-Identifier: GPL-2.0
/* turn.c - a lock that threads get in the order in which they asked for it */
#include "turn.h"

#include <stddef.h>

void turn_take(struct turn *turn)
{
	unsigned int mine;

	if (!turn)
		return;
	pthread_mutex_lock(&turn->mutex);
	mine = turn->asked++;
	while (turn->served != mine)
		pthread_cond_wait(&turn->next, &turn->mutex);
	pthread_mutex_unlock(&turn->mutex);
}

void turn_give(struct turn *turn)
{
	if (!turn)
		return;
	pthread_mutex_lock(&turn->mutex);
	turn->served++;
	if (turn->served != turn->asked)
		pthread_cond_broadcast(&turn->next);
	pthread_mutex_unlock(&turn->mutex);
}
