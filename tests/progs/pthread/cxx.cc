// SPDX-License-Identifier: GPL-2.0
// cxx.cc - C++: threads and what comes with them, exceptions through std::call_once
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex m;
static std::recursive_mutex again;
static std::timed_mutex timed;
static std::shared_mutex shared;
static std::condition_variable_any any;
static std::condition_variable cond;
static bool is_ready;

struct early {
	int n = 0;
	early() { std::thread([this] { n = 1; }).join(); }
} static before_main;

struct counted {
	int *n;
	~counted() { ++*n; }
};

int main()
{
	std::once_flag flag;
	std::vector<std::thread> threads;
	int sum = 0, ends = 0;

	for (int i = 0; i < 3; i++) {
		try {
			std::call_once(flag, [i] {
				if (i < 2)
					throw std::runtime_error("not yet");
			});
			std::cout << "once at " << i << "\n";
		} catch (const std::runtime_error &e) {
			std::cout << e.what() << "\n";
		}
	}
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&, i] {
			thread_local counted c;
			c.n = &ends;
			std::unique_lock<std::mutex> lock(m);
			cond.wait(lock, [] { return is_ready; });
			std::lock_guard<std::recursive_mutex> one(again);
			std::lock_guard<std::recursive_mutex> two(again);
			std::shared_lock<std::shared_mutex> reader(shared);
			sum += i;
		});
	{
		std::lock_guard<std::mutex> lock(m);
		is_ready = true;
	}
	cond.notify_all();
	for (auto &t : threads)
		t.join();
	if (!timed.try_lock_for(std::chrono::seconds(1)))
		return 1;
	timed.unlock();
	any.notify_one();
	auto f = std::async(std::launch::async, [] { return 40; });
	std::cout << before_main.n << " " << sum << " " << ends << " " << f.get() << "\n";
	return 4;
}
