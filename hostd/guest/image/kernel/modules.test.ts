import { describe, expect, it } from 'vitest';
import { loadOrder, moduleName, parseModulesDep } from './modules.ts';

const modulesDep = `kernel/drivers/virtio/virtio_mmio.ko.xz: kernel/drivers/virtio/virtio.ko.xz kernel/drivers/virtio/virtio_ring.ko.xz
kernel/drivers/virtio/virtio.ko.xz: kernel/drivers/virtio/virtio_ring.ko.xz
kernel/drivers/virtio/virtio_ring.ko.xz:
kernel/drivers/net/virtio_net.ko.xz: kernel/drivers/net/net_failover.ko.xz kernel/net/core/failover.ko.xz
kernel/drivers/net/net_failover.ko.xz: kernel/net/core/failover.ko.xz
kernel/net/core/failover.ko.xz:
kernel/drivers/char/hw_random/virtio-rng.ko.zst:
`;

describe('module load order', () => {
  it('puts each module after what it needs, once', () => {
    const order = loadOrder(parseModulesDep(modulesDep), ['virtio_mmio', 'virtio_net', 'virtio_rng', 'virtio_blk']);
    expect(order.map(moduleName)).toEqual([
      'virtio_ring',
      'virtio',
      'virtio_mmio',
      'failover',
      'net_failover',
      'virtio_net',
      'virtio_rng',
    ]);
  });

  it('says which modules need each other in a circle', () => {
    const circle = parseModulesDep('a.ko: b.ko\nb.ko: a.ko\n');
    expect(() => loadOrder(circle, ['a'])).toThrow('a.ko -> b.ko -> a.ko');
  });
});
