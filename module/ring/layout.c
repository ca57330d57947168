// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * layout.c - pins the ABI: size of every shared struct, offset of every field
 *
 * A change that moves anything fails to compile here. Zero memory reads as free and
 * empty: head = tail = 0, owner 0, entry word 0, id 0 = padding.
 */
#include "ring.h"
#include <linux/ktrace_board.h>
#include <linux/ktrace_context.h>
#include <linux/ktrace_events.h>
#include <linux/ktrace_file.h>
#include <linux/ktrace_shark.h>

#define SIZE(type, n) _Static_assert(sizeof(struct type) == (n), #type " size")
#define FIELD(type, field, off, n)                                                       \
	_Static_assert(__builtin_offsetof(struct type, field) == (off) &&                \
		       sizeof(((struct type *)0)->field) == (n), #type "." #field)

SIZE(ktrace_record, 16);
FIELD(ktrace_record, ts, 0, 8);
FIELD(ktrace_record, id, 8, 2);
FIELD(ktrace_record, len, 10, 2);
FIELD(ktrace_record, tid_flags, 12, 4);

SIZE(ktrace_lost, 64);
FIELD(ktrace_lost, count, 0, 64);

SIZE(ktrace_block, 64);
FIELD(ktrace_block, pos, 0, 8);
FIELD(ktrace_block, ts, 8, 8);
FIELD(ktrace_block, lost, 16, 8);
FIELD(ktrace_block, records, 24, 8);
FIELD(ktrace_block, magic, 32, 4);
FIELD(ktrace_block, flags, 36, 4);
FIELD(ktrace_block, ring, 40, 4);
FIELD(ktrace_block, owner, 44, 4);
FIELD(ktrace_block, generation, 48, 4);
FIELD(ktrace_block, reserved, 52, 12);

SIZE(ktrace_ring, 128);
FIELD(ktrace_ring, head, 0, 8);
FIELD(ktrace_ring, reserve, 8, 8);
FIELD(ktrace_ring, suspend, 16, 8);
FIELD(ktrace_ring, records, 24, 8);
FIELD(ktrace_ring, owner, 32, 4);
FIELD(ktrace_ring, reserved0, 36, 4);
FIELD(ktrace_ring, generation, 40, 4);
FIELD(ktrace_ring, reserved1, 44, 4);
FIELD(ktrace_ring, sealed, 48, 8);
FIELD(ktrace_ring, reserved, 56, 8);
FIELD(ktrace_ring, lost, 64, 64);

SIZE(ktrace_tail, 64);
FIELD(ktrace_tail, tail, 0, 8);
FIELD(ktrace_tail, lost, 8, 48);
FIELD(ktrace_tail, reserved, 56, 8);

SIZE(ktrace_tail_lost, 24);
FIELD(ktrace_tail_lost, pos, 0, 8);
FIELD(ktrace_tail_lost, unwritten, 8, 8);
FIELD(ktrace_tail_lost, corrupt, 16, 8);

SIZE(ktrace_control, 344);
FIELD(ktrace_control, magic, 0, 4);
FIELD(ktrace_control, version, 4, 4);
FIELD(ktrace_control, size, 8, 4);
FIELD(ktrace_control, kind, 12, 4);
FIELD(ktrace_control, session, 16, 8);
FIELD(ktrace_control, map_size, 24, 8);
FIELD(ktrace_control, ring_nr, 32, 4);
FIELD(ktrace_control, cpu_nr, 36, 4);
FIELD(ktrace_control, block_size, 40, 4);
FIELD(ktrace_control, policy, 44, 4);
FIELD(ktrace_control, ring_size, 48, 8);
FIELD(ktrace_control, ring_stride, 56, 8);
FIELD(ktrace_control, rings_off, 64, 8);
FIELD(ktrace_control, thread_size, 72, 8);
FIELD(ktrace_control, thread_stride, 80, 8);
FIELD(ktrace_control, threads_off, 88, 8);
FIELD(ktrace_control, registry_off, 96, 8);
FIELD(ktrace_control, registry_size, 104, 8);
FIELD(ktrace_control, tail_off, 112, 8);
FIELD(ktrace_control, data_off, 120, 4);
FIELD(ktrace_control, enable_off, 124, 4);
FIELD(ktrace_control, id_nr, 128, 4);
FIELD(ktrace_control, filter_off, 132, 4);
FIELD(ktrace_control, filter_size, 136, 4);
FIELD(ktrace_control, clock, 140, 4);
FIELD(ktrace_control, timeout_ms, 144, 4);
FIELD(ktrace_control, state, 148, 4);
FIELD(ktrace_control, note_off, 152, 4);
FIELD(ktrace_control, note_size, 156, 4);
FIELD(ktrace_control, slots_off, 160, 8);
FIELD(ktrace_control, slot_nr, 168, 4);
FIELD(ktrace_control, slot_size, 172, 4);
FIELD(ktrace_control, id_all, 176, 4);
FIELD(ktrace_control, reserved0, 180, 4);
FIELD(ktrace_control, reserved, 184, 32);
FIELD(ktrace_control, reader, 216, 4);
FIELD(ktrace_control, reserved2, 220, 124);

SIZE(ktrace_registry, 64);
FIELD(ktrace_registry, next_on, 0, 4);
FIELD(ktrace_registry, next_off, 4, 4);
FIELD(ktrace_registry, hint, 8, 4);
FIELD(ktrace_registry, full, 12, 4);
FIELD(ktrace_registry, reserved, 16, 8);
FIELD(ktrace_registry, slot_next, 24, 8);
FIELD(ktrace_registry, more_on, 32, 4);
FIELD(ktrace_registry, more_off, 36, 4);
FIELD(ktrace_registry, slot_late, 40, 4);
FIELD(ktrace_registry, reserved2, 44, 20);

SIZE(ktrace_entry, 24);
FIELD(ktrace_entry, word, 0, 4);
FIELD(ktrace_entry, type, 4, 2);
FIELD(ktrace_entry, id, 6, 2);
FIELD(ktrace_entry, pid, 8, 4);
FIELD(ktrace_entry, tid, 12, 4);
FIELD(ktrace_entry, ts, 16, 8);

SIZE(ktrace_slot, 32);
FIELD(ktrace_slot, word, 0, 8);
FIELD(ktrace_slot, entry, 8, 24);

SIZE(ktrace_channel_spec, 72);
FIELD(ktrace_channel_spec, size, 0, 4);
FIELD(ktrace_channel_spec, kind, 4, 4);
FIELD(ktrace_channel_spec, ring_size, 8, 8);
FIELD(ktrace_channel_spec, block_size, 16, 4);
FIELD(ktrace_channel_spec, policy, 20, 4);
FIELD(ktrace_channel_spec, thread_size, 24, 8);
FIELD(ktrace_channel_spec, registry_size, 32, 8);
FIELD(ktrace_channel_spec, thread_nr, 40, 4);
FIELD(ktrace_channel_spec, timeout_ms, 44, 4);
FIELD(ktrace_channel_spec, watermark, 48, 4);
FIELD(ktrace_channel_spec, reserved, 52, 4);
FIELD(ktrace_channel_spec, map_off, 56, 8);
FIELD(ktrace_channel_spec, map_size, 64, 8);

SIZE(ktrace_attach, 32);
FIELD(ktrace_attach, size, 0, 4);
FIELD(ktrace_attach, thread_word, 4, 4);
FIELD(ktrace_attach, session, 8, 8);
FIELD(ktrace_attach, map_off, 16, 8);
FIELD(ktrace_attach, map_size, 24, 8);

SIZE(ktrace_info, 72);
FIELD(ktrace_info, size, 0, 4);
FIELD(ktrace_info, abi, 4, 4);
FIELD(ktrace_info, session, 8, 8);
FIELD(ktrace_info, tsc_khz, 16, 4);
FIELD(ktrace_info, clock, 20, 4);
FIELD(ktrace_info, followed, 24, 4);
FIELD(ktrace_info, writers, 28, 4);
FIELD(ktrace_info, lost_noring, 32, 8);
FIELD(ktrace_info, sessions, 40, 4);
FIELD(ktrace_info, kept, 44, 4);
FIELD(ktrace_info, refused, 48, 4);
FIELD(ktrace_info, freed, 52, 4);
FIELD(ktrace_info, reserved, 56, 8);
FIELD(ktrace_info, undecided, 64, 8);

SIZE(ktrace_kept, 32);
FIELD(ktrace_kept, size, 0, 4);
FIELD(ktrace_kept, index, 4, 4);
FIELD(ktrace_kept, session, 8, 8);
FIELD(ktrace_kept, bytes, 16, 8);
FIELD(ktrace_kept, uid, 24, 4);
FIELD(ktrace_kept, seconds, 28, 4);

SIZE(ktrace_adopt, 16);
FIELD(ktrace_adopt, size, 0, 4);
FIELD(ktrace_adopt, channels, 4, 4);
FIELD(ktrace_adopt, session, 8, 8);

SIZE(ktrace_tracepoint, 16);
FIELD(ktrace_tracepoint, size, 0, 4);
FIELD(ktrace_tracepoint, number, 4, 4);
FIELD(ktrace_tracepoint, id, 8, 2);
FIELD(ktrace_tracepoint, reserved, 10, 6);

SIZE(ktrace_missed, 16);
FIELD(ktrace_missed, size, 0, 4);
FIELD(ktrace_missed, id, 4, 2);
FIELD(ktrace_missed, reserved, 6, 2);
FIELD(ktrace_missed, missed, 8, 8);

SIZE(ktrace_enable, 4);
FIELD(ktrace_enable, id, 0, 2);
FIELD(ktrace_enable, on, 2, 2);

SIZE(ktrace_context, 4);
FIELD(ktrace_context, id, 0, 2);
FIELD(ktrace_context, bits, 2, 2);

SIZE(ktrace_counter, 24);
FIELD(ktrace_counter, size, 0, 4);
FIELD(ktrace_counter, type, 4, 4);
FIELD(ktrace_counter, config, 8, 8);
FIELD(ktrace_counter, index, 16, 4);
FIELD(ktrace_counter, reserved, 20, 4);

SIZE(ktrace_stacks, 32);
FIELD(ktrace_stacks, size, 0, 4);
FIELD(ktrace_stacks, bytes, 4, 4);
FIELD(ktrace_stacks, pos, 8, 8);
FIELD(ktrace_stacks, buf, 16, 8);
FIELD(ktrace_stacks, dropped, 24, 8);

SIZE(ktrace_stack, 24);
FIELD(ktrace_stack, id, 0, 4);
FIELD(ktrace_stack, nr, 4, 2);
FIELD(ktrace_stack, kind, 6, 1);
FIELD(ktrace_stack, flags, 7, 1);
FIELD(ktrace_stack, pid, 8, 4);
FIELD(ktrace_stack, program, 12, 4);
FIELD(ktrace_stack, ts, 16, 8);

SIZE(ktrace_file, 64);
FIELD(ktrace_file, magic, 0, 8);
FIELD(ktrace_file, version, 8, 4);
FIELD(ktrace_file, byte_order, 12, 4);
FIELD(ktrace_file, header_size, 16, 4);
FIELD(ktrace_file, part, 20, 4);
FIELD(ktrace_file, uuid, 24, 16);
FIELD(ktrace_file, reserved2, 40, 24);

SIZE(ktrace_section, 64);
FIELD(ktrace_section, magic, 0, 4);
FIELD(ktrace_section, type, 4, 2);
FIELD(ktrace_section, flags, 6, 2);
FIELD(ktrace_section, stream, 8, 4);
FIELD(ktrace_section, crc, 12, 4);
FIELD(ktrace_section, size, 16, 8);
FIELD(ktrace_section, first_ts, 24, 8);
FIELD(ktrace_section, last_ts, 32, 8);
FIELD(ktrace_section, pos, 40, 8);
FIELD(ktrace_section, records, 48, 4);
FIELD(ktrace_section, lost, 52, 4);
FIELD(ktrace_section, raw_size, 56, 4);
FIELD(ktrace_section, reserved, 60, 4);

SIZE(ktrace_index, 48);
FIELD(ktrace_index, offset, 0, 8);
FIELD(ktrace_index, first_ts, 8, 8);
FIELD(ktrace_index, last_ts, 16, 8);
FIELD(ktrace_index, pos, 24, 8);
FIELD(ktrace_index, stream, 32, 4);
FIELD(ktrace_index, records, 36, 4);
FIELD(ktrace_index, type, 40, 4);
FIELD(ktrace_index, lost, 44, 4);

SIZE(ktrace_ev_logevent, 8);
FIELD(ktrace_ev_logevent, type, 0, 2);
FIELD(ktrace_ev_logevent, par1, 2, 2);
FIELD(ktrace_ev_logevent, par2, 4, 4);
SIZE(ktrace_ev_sched_switch, 52);
FIELD(ktrace_ev_sched_switch, prev_tid, 0, 4);
FIELD(ktrace_ev_sched_switch, next_tid, 4, 4);
FIELD(ktrace_ev_sched_switch, prev_prio, 8, 4);
FIELD(ktrace_ev_sched_switch, next_prio, 12, 4);
FIELD(ktrace_ev_sched_switch, prev_state, 16, 4);
FIELD(ktrace_ev_sched_switch, prev_comm, 20, 16);
FIELD(ktrace_ev_sched_switch, next_comm, 36, 16);
SIZE(ktrace_ev_sched_wakeup, 28);
FIELD(ktrace_ev_sched_wakeup, tid, 0, 4);
FIELD(ktrace_ev_sched_wakeup, prio, 4, 4);
FIELD(ktrace_ev_sched_wakeup, target_cpu, 8, 4);
FIELD(ktrace_ev_sched_wakeup, comm, 12, 16);
SIZE(ktrace_ev_sched_migrate, 32);
FIELD(ktrace_ev_sched_migrate, tid, 0, 4);
FIELD(ktrace_ev_sched_migrate, prio, 4, 4);
FIELD(ktrace_ev_sched_migrate, from_cpu, 8, 4);
FIELD(ktrace_ev_sched_migrate, to_cpu, 12, 4);
FIELD(ktrace_ev_sched_migrate, comm, 16, 16);
SIZE(ktrace_ev_sched_fork, 32);
FIELD(ktrace_ev_sched_fork, parent_tid, 0, 4);
FIELD(ktrace_ev_sched_fork, parent_pid, 4, 4);
FIELD(ktrace_ev_sched_fork, child_tid, 8, 4);
FIELD(ktrace_ev_sched_fork, child_pid, 12, 4);
FIELD(ktrace_ev_sched_fork, comm, 16, 16);
SIZE(ktrace_ev_sched_exec, 8);
FIELD(ktrace_ev_sched_exec, pid, 0, 4);
FIELD(ktrace_ev_sched_exec, old_tid, 4, 4);
SIZE(ktrace_ev_sched_exit, 28);
FIELD(ktrace_ev_sched_exit, tid, 0, 4);
FIELD(ktrace_ev_sched_exit, pid, 4, 4);
FIELD(ktrace_ev_sched_exit, prio, 8, 4);
FIELD(ktrace_ev_sched_exit, comm, 12, 16);
SIZE(ktrace_ev_sched_comm, 24);
FIELD(ktrace_ev_sched_comm, tid, 0, 4);
FIELD(ktrace_ev_sched_comm, pid, 4, 4);
FIELD(ktrace_ev_sched_comm, comm, 8, 16);
SIZE(ktrace_ev_syscall_enter, 56);
FIELD(ktrace_ev_syscall_enter, nr, 0, 4);
FIELD(ktrace_ev_syscall_enter, abi, 4, 4);
FIELD(ktrace_ev_syscall_enter, args, 8, 48);
SIZE(ktrace_ev_syscall_exit, 16);
FIELD(ktrace_ev_syscall_exit, nr, 0, 4);
FIELD(ktrace_ev_syscall_exit, abi, 4, 4);
FIELD(ktrace_ev_syscall_exit, ret, 8, 8);
SIZE(ktrace_ev_irq_enter, 20);
FIELD(ktrace_ev_irq_enter, irq, 0, 4);
FIELD(ktrace_ev_irq_enter, name, 4, 16);
SIZE(ktrace_ev_irq_exit, 8);
FIELD(ktrace_ev_irq_exit, irq, 0, 4);
FIELD(ktrace_ev_irq_exit, handled, 4, 4);
SIZE(ktrace_ev_softirq, 4);
FIELD(ktrace_ev_softirq, vec, 0, 4);
SIZE(ktrace_ev_block, 24);
FIELD(ktrace_ev_block, dev, 0, 4);
FIELD(ktrace_ev_block, tag, 4, 4);
FIELD(ktrace_ev_block, sector, 8, 8);
FIELD(ktrace_ev_block, bytes, 16, 4);
FIELD(ktrace_ev_block, op, 20, 4);
SIZE(ktrace_ev_block_complete, 32);
FIELD(ktrace_ev_block_complete, dev, 0, 4);
FIELD(ktrace_ev_block_complete, tag, 4, 4);
FIELD(ktrace_ev_block_complete, sector, 8, 8);
FIELD(ktrace_ev_block_complete, bytes, 16, 4);
FIELD(ktrace_ev_block_complete, op, 20, 4);
FIELD(ktrace_ev_block_complete, left, 24, 4);
FIELD(ktrace_ev_block_complete, error, 28, 4);
SIZE(ktrace_ev_signal_generate, 40);
FIELD(ktrace_ev_signal_generate, sig, 0, 4);
FIELD(ktrace_ev_signal_generate, code, 4, 4);
FIELD(ktrace_ev_signal_generate, tid, 8, 4);
FIELD(ktrace_ev_signal_generate, pid, 12, 4);
FIELD(ktrace_ev_signal_generate, is_group, 16, 4);
FIELD(ktrace_ev_signal_generate, result, 20, 4);
FIELD(ktrace_ev_signal_generate, comm, 24, 16);
SIZE(ktrace_ev_signal_deliver, 24);
FIELD(ktrace_ev_signal_deliver, sig, 0, 4);
FIELD(ktrace_ev_signal_deliver, code, 4, 4);
FIELD(ktrace_ev_signal_deliver, handler, 8, 8);
FIELD(ktrace_ev_signal_deliver, flags, 16, 8);
SIZE(ktrace_ev_fault, 24);
FIELD(ktrace_ev_fault, address, 0, 8);
FIELD(ktrace_ev_fault, ip, 8, 8);
FIELD(ktrace_ev_fault, access, 16, 4);
FIELD(ktrace_ev_fault, is_protection, 20, 4);
SIZE(ktrace_ev_lock_contended, 16);
FIELD(ktrace_ev_lock_contended, lock, 0, 8);
FIELD(ktrace_ev_lock_contended, flags, 8, 8);
SIZE(ktrace_ev_lock_acquired, 16);
FIELD(ktrace_ev_lock_acquired, lock, 0, 8);
FIELD(ktrace_ev_lock_acquired, result, 8, 8);
SIZE(ktrace_ev_power_idle, 8);
FIELD(ktrace_ev_power_idle, cpu, 0, 4);
FIELD(ktrace_ev_power_idle, state, 4, 4);
SIZE(ktrace_ev_power_frequency, 8);
FIELD(ktrace_ev_power_frequency, cpu, 0, 4);
FIELD(ktrace_ev_power_frequency, khz, 4, 4);
SIZE(ktrace_ev_module, 56);
FIELD(ktrace_ev_module, name, 0, 56);
SIZE(ktrace_ev_net, 96);
FIELD(ktrace_ev_net, packet, 0, 8);
FIELD(ktrace_ev_net, len, 8, 4);
FIELD(ktrace_ev_net, protocol, 12, 2);
FIELD(ktrace_ev_net, result, 14, 2);
FIELD(ktrace_ev_net, dev, 16, 16);
FIELD(ktrace_ev_net, ip_src, 32, 16);
FIELD(ktrace_ev_net, ip_dst, 48, 16);
FIELD(ktrace_ev_net, src_port, 64, 2);
FIELD(ktrace_ev_net, dst_port, 66, 2);
FIELD(ktrace_ev_net, seq, 68, 4);
FIELD(ktrace_ev_net, ack, 72, 4);
FIELD(ktrace_ev_net, payload, 76, 4);
FIELD(ktrace_ev_net, data, 80, 8);
FIELD(ktrace_ev_net, transport, 88, 1);
FIELD(ktrace_ev_net, tcp_flags, 89, 1);
FIELD(ktrace_ev_net, ip_id, 90, 2);
FIELD(ktrace_ev_net, gso_size, 92, 2);
FIELD(ktrace_ev_net, gso_segs, 94, 2);
SIZE(ktrace_ev_net_xmit, 32);
FIELD(ktrace_ev_net_xmit, packet, 0, 8);
FIELD(ktrace_ev_net_xmit, len, 8, 4);
FIELD(ktrace_ev_net_xmit, protocol, 12, 2);
FIELD(ktrace_ev_net_xmit, result, 14, 2);
FIELD(ktrace_ev_net_xmit, dev, 16, 16);
SIZE(ktrace_ev_workqueue_queue, 16);
FIELD(ktrace_ev_workqueue_queue, work, 0, 8);
FIELD(ktrace_ev_workqueue_queue, cpu, 8, 8);
SIZE(ktrace_ev_workqueue, 8);
FIELD(ktrace_ev_workqueue, work, 0, 8);
SIZE(ktrace_ev_timer_start, 16);
FIELD(ktrace_ev_timer_start, timer, 0, 8);
FIELD(ktrace_ev_timer_start, delay_ns, 8, 8);
SIZE(ktrace_ev_timer_enter, 16);
FIELD(ktrace_ev_timer_enter, timer, 0, 8);
FIELD(ktrace_ev_timer_enter, late_ns, 8, 8);
SIZE(ktrace_ev_timer, 8);
FIELD(ktrace_ev_timer, timer, 0, 8);
SIZE(ktrace_ev_memory_rss, 16);
FIELD(ktrace_ev_memory_rss, bytes, 0, 8);
FIELD(ktrace_ev_memory_rss, pid, 8, 4);
FIELD(ktrace_ev_memory_rss, kind, 12, 4);
SIZE(ktrace_ev_memory_oom, 28);
FIELD(ktrace_ev_memory_oom, tid, 0, 4);
FIELD(ktrace_ev_memory_oom, pid, 4, 4);
FIELD(ktrace_ev_memory_oom, score_adj, 8, 4);
FIELD(ktrace_ev_memory_oom, comm, 12, 16);
SIZE(ktrace_ev_futex_enter, 40);
FIELD(ktrace_ev_futex_enter, address, 0, 8);
FIELD(ktrace_ev_futex_enter, address2, 8, 8);
FIELD(ktrace_ev_futex_enter, op, 16, 4);
FIELD(ktrace_ev_futex_enter, flags, 20, 4);
FIELD(ktrace_ev_futex_enter, value, 24, 4);
FIELD(ktrace_ev_futex_enter, value2, 28, 4);
FIELD(ktrace_ev_futex_enter, value3, 32, 8);
SIZE(ktrace_ev_futex_exit, 16);
FIELD(ktrace_ev_futex_exit, address, 0, 8);
FIELD(ktrace_ev_futex_exit, op, 8, 4);
FIELD(ktrace_ev_futex_exit, result, 12, 4);

SIZE(ktrace_kernel_filter, 32);
FIELD(ktrace_kernel_filter, size, 0, 4);
FIELD(ktrace_kernel_filter, id, 4, 2);
FIELD(ktrace_kernel_filter, step_nr, 6, 2);
FIELD(ktrace_kernel_filter, text_size, 8, 4);
FIELD(ktrace_kernel_filter, reserved, 12, 4);
FIELD(ktrace_kernel_filter, steps, 16, 8);
FIELD(ktrace_kernel_filter, texts, 24, 8);

SIZE(ktrace_match_step, 32);
FIELD(ktrace_match_step, what, 0, 1);
FIELD(ktrace_match_step, op, 1, 1);
FIELD(ktrace_match_step, flags, 2, 1);
FIELD(ktrace_match_step, reserved, 3, 1);
FIELD(ktrace_match_step, yes, 4, 2);
FIELD(ktrace_match_step, no, 6, 2);
FIELD(ktrace_match_step, off, 8, 4);
FIELD(ktrace_match_step, size, 12, 4);
FIELD(ktrace_match_step, value, 16, 8);
FIELD(ktrace_match_step, text_off, 24, 4);
FIELD(ktrace_match_step, text_len, 28, 4);

SIZE(ktrace_shark_event, 16);
FIELD(ktrace_shark_event, code, 0, 2);
FIELD(ktrace_shark_event, par1, 2, 2);
FIELD(ktrace_shark_event, tsc_high, 4, 4);
FIELD(ktrace_shark_event, tsc_low, 8, 4);
FIELD(ktrace_shark_event, par2, 12, 4);

SIZE(FTrace_Chunk, 88);
FIELD(FTrace_Chunk, id, 0, 4);
FIELD(FTrace_Chunk, number, 4, 4);
FIELD(FTrace_Chunk, flags, 8, 1);
FIELD(FTrace_Chunk, is_selected, 9, 1);
FIELD(FTrace_Chunk, reserved, 10, 2);
FIELD(FTrace_Chunk, size, 12, 4);
FIELD(FTrace_Chunk, emergency_size, 16, 4);
FIELD(FTrace_Chunk, next, 20, 4);
FIELD(FTrace_Chunk, first, 24, 4);
FIELD(FTrace_Chunk, events, 28, 4);
FIELD(FTrace_Chunk, emergency_events, 32, 4);
FIELD(FTrace_Chunk, reserved2, 36, 4);
FIELD(FTrace_Chunk, bytes, 40, 8);
FIELD(FTrace_Chunk, lost, 48, 40);

SIZE(ktrace_shark_packet, 24);
FIELD(ktrace_shark_packet, id, 0, 12);
FIELD(ktrace_shark_packet, number, 12, 4);
FIELD(ktrace_shark_packet, events, 16, 4);
FIELD(ktrace_shark_packet, size, 20, 4);

SIZE(ktrace_shark_serve, 16);
FIELD(ktrace_shark_serve, size, 0, 4);
FIELD(ktrace_shark_serve, kinds, 4, 4);
FIELD(ktrace_shark_serve, reserved, 8, 8);

SIZE(ktrace_shark_job, 336);
FIELD(ktrace_shark_job, size, 0, 4);
FIELD(ktrace_shark_job, kind, 4, 4);
FIELD(ktrace_shark_job, job, 8, 8);
FIELD(ktrace_shark_job, chunk, 16, 4);
FIELD(ktrace_shark_job, flags, 20, 4);
FIELD(ktrace_shark_job, osd_flags, 24, 4);
FIELD(ktrace_shark_job, clk_per_msec, 28, 4);
FIELD(ktrace_shark_job, first, 32, 4);
FIELD(ktrace_shark_job, events, 36, 4);
FIELD(ktrace_shark_job, normal_nr, 40, 4);
FIELD(ktrace_shark_job, emergency_events, 44, 4);
FIELD(ktrace_shark_job, bytes, 48, 8);
FIELD(ktrace_shark_job, map_off, 56, 8);
FIELD(ktrace_shark_job, map_size, 64, 8);
FIELD(ktrace_shark_job, lost, 72, 40);
FIELD(ktrace_shark_job, name, 112, 64);
FIELD(ktrace_shark_job, local, 176, 64);
FIELD(ktrace_shark_job, target, 240, 64);
FIELD(ktrace_shark_job, reserved, 304, 32);

SIZE(ktrace_shark_end, 16);
FIELD(ktrace_shark_end, job, 0, 8);
FIELD(ktrace_shark_end, error, 8, 4);
FIELD(ktrace_shark_end, reserved, 12, 4);

/**
 * kt_ring_geometry_ok - true if a ring may have this geometry
 * @size:	bytes of data
 * @block_size:	bytes of a block
 *
 * Context: any.
 */
bool kt_ring_geometry_ok(__u64 size, __u32 block_size)
{
	return block_size >= KTRACE_BLOCK_MIN && block_size <= KTRACE_BLOCK_MAX &&
	       !(block_size & (block_size - 1)) && !(size & (size - 1)) &&
	       size <= KTRACE_RING_MAX && size / block_size >= KTRACE_RING_BLOCKS_MIN;
}

/**
 * kt_ring_payload_max - largest payload in bytes of one record in such blocks
 * @block_size:	bytes of a block
 *
 * A record must fit after the largest opening of a block.
 *
 * Context: any.
 */
__u32 kt_ring_payload_max(__u32 block_size)
{
	__u32 max = block_size - (__u32)KT_OPENING_MAX - (__u32)sizeof(struct ktrace_record);

	return max < KTRACE_LEN_MAX ? max : KTRACE_LEN_MAX;
}

SIZE(ktrace_board_want, 128);
FIELD(ktrace_board_want, seq, 0, 4);
FIELD(ktrace_board_want, pid, 4, 4);
FIELD(ktrace_board_want, since, 8, 8);
FIELD(ktrace_board_want, pidns, 16, 8);
FIELD(ktrace_board_want, reserved, 24, 8);
FIELD(ktrace_board_want, session, 32, 96);

SIZE(ktrace_board_slot, 64);
FIELD(ktrace_board_slot, wanted, 0, 1);
FIELD(ktrace_board_slot, on, 1, 1);
FIELD(ktrace_board_slot, off, 2, 1);
FIELD(ktrace_board_slot, flags, 3, 1);
FIELD(ktrace_board_slot, pid, 4, 4);
FIELD(ktrace_board_slot, since, 8, 8);
FIELD(ktrace_board_slot, fate, 16, 8);
FIELD(ktrace_board_slot, error, 24, 8);
FIELD(ktrace_board_slot, joins, 32, 4);
FIELD(ktrace_board_slot, leaves, 36, 4);
FIELD(ktrace_board_slot, reserved, 40, 24);

SIZE(ktrace_board, 1152);
FIELD(ktrace_board, magic, 0, 4);
FIELD(ktrace_board, version, 4, 4);
FIELD(ktrace_board, full, 8, 4);
FIELD(ktrace_board, wanted, 12, 4);
FIELD(ktrace_board, recorder, 16, 32);
FIELD(ktrace_board, reserved, 48, 80);
FIELD(ktrace_board, want, 128, 1024);
