import type { FastifyRequest } from 'fastify';
import { addressOf } from './address.js';

it.each([
  ['198.51.100.7', '198.51.100.7'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
  ['198.51.100.7:8080', 'unknown'],
])('%s is counted as %s', (ip, counted) => expect(addressOf({ ip } as FastifyRequest)).toBe(counted));
