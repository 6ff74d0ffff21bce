import { isPublicAddress, networkOf } from './public-address.js';

describe('isPublicAddress', () => {
  it.each(['127.0.0.1', '::1', '::ffff:10.0.0.1', 'fe80::1%eth0', '169.254.169.254', '', 'example.com', '2130706433'])(
    'returns false for %j',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );

  it.each(['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111'])('returns true for %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('networkOf', () => {
  it.each([
    ['8.8.8.8', '8.8.8.8'],
    ['::ffff:8.8.8.8', '8.8.8.8'],
    ['2606:4700:0:1:2:3:4:5', '2606:4700:0:1::/64'],
    ['2606:4700::1111%eth0', '2606:4700:0:0::/64'],
  ])('returns the network of %s: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
