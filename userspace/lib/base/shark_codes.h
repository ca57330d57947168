/* SPDX-License-Identifier: LGPL-2.1 */
/* shark_codes.h - the type of log:event, as described by the tracers of kernel and programs */
#ifndef KTRACE_BASE_SHARK_CODES_H
#define KTRACE_BASE_SHARK_CODES_H

/* Codes of S.Ha.R.K., <linux/ktrace_shark.h>, without "FTrace_" and "EVT_" */
#define SHARK_CODES \
	"enum<x16>(" \
	"empty=0x00,cycles_per_msec=0x10,trace_start=0x20,trace_stop=0x30,blackout_start=0x40," \
	"blackout_end=0x50,id=0x60,numevents=0x70,ipoint=0x01,task_create=0x02," \
	"task_activate=0x12,task_dispatch=0x22,task_epilogue=0x32,task_end=0x42," \
	"task_begin_cycle=0x52,task_end_cycle=0x62,task_sleep=0x72,task_schedule=0x82," \
	"task_timer=0x92,task_disable=0xa2,task_deadline_miss=0xb2,task_wcet_violation=0xc2," \
	"interrupt_start=0x03,interrupt_end=0x13,interrupt_hit=0x23,interrupt_count=0x33," \
	"to_real_mode=0x04,to_protected_mode=0x14,CLI=0x24,STI=0x34,set_priority=0x05," \
	"context_switch=0x15,inheritance=0x25,set_mutex_create=0x06,set_mutex_lock=0x16," \
	"set_mutex_inherit=0x26,set_mutex_unlock=0x36,set_mutex_wait=0x46,set_mutex_post=0x56," \
	"signal=0x07,server_create=0x08,server_replenish=0x18,server_exhaust=0x28," \
	"server_reclaiming=0x38,server_remove=0x48,server_active=0x58,server_using_rec=0x68," \
	"user_event_0=0x09,user_event_1=0x19,user_event_2=0x29,user_event_3=0x39," \
	"user_event_4=0x49,user_event_5=0x59,user_event_6=0x69,user_event_7=0x79," \
	"user_event_8=0x89,user_event_9=0x99,user_event_10=0xa9,user_event_11=0xb9," \
	"user_event_12=0xc9,user_event_13=0xd9,user_event_14=0xe9,data_pointer=0x1a," \
	"timer_post=0x0b,timer_delete=0x1b,timer_wakeup_start=0x2b,timer_wakeup_end=0x3b," \
	"filter_trace_Events=0xf0,filter_ipoint=0xf1,filter_task=0xf2,filter_interrupt=0xf3," \
	"filter_CPU=0xf4,filter_priority=0xf5,filter_mutex=0xf6,filter_signal=0xf7," \
	"filter_server=0xf8,filter_user=0xf9,filter_data=0xfa,filter_timer=0xfb," \
	"next_chunk=0xff)"

#endif
