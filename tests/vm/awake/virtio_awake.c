// SPDX-License-Identifier: GPL-2.0
/*
 * virtio_awake.c - lets a guest be suspended whose root file system is virtiofs
 *
 * The driver of virtiofs refuses to be suspended. This module has the driver of virtio's
 * PCI devices leave them as they are when the machine is suspended. That is right as long
 * as they keep their power: in tests by /sys/power/pm_test, which stop short of the
 * firmware.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pm.h>

static struct device_driver *driver;
static const struct dev_pm_ops *before;

/* With its state saved, the bus leaves the device alone. */
static int stay_awake(struct device *dev)
{
	return pci_save_state(to_pci_dev(dev));
}

static int stay_as_is(struct device *dev)
{
	return 0;
}

static const struct dev_pm_ops awake = { .suspend = stay_awake, .resume = stay_as_is };

static int __init awake_init(void)
{
	driver = driver_find("virtio-pci", &pci_bus_type);
	if (!driver)
		return -ENODEV;
	before = driver->pm;
	driver->pm = &awake;
	return 0;
}

static void __exit awake_exit(void)
{
	driver->pm = before;
}

module_init(awake_init);
module_exit(awake_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test: devices of virtio that sleep without noticing");
