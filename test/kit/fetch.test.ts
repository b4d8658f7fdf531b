import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isPublic } from '../../src/kit/fetch.ts';

// The first and the last address of each range, and whether the ones below and above it are public.
const IPV4: readonly (readonly [string, string, boolean, boolean])[] = [
  ['0.0.0.0', '0.255.255.255', false, true],
  ['10.0.0.0', '10.255.255.255', true, true],
  ['100.64.0.0', '100.127.255.255', true, true],
  ['127.0.0.0', '127.255.255.255', true, true],
  ['169.254.0.0', '169.254.255.255', true, true],
  ['172.16.0.0', '172.31.255.255', true, true],
  ['192.0.0.0', '192.0.0.255', true, true],
  ['192.0.2.0', '192.0.2.255', true, true],
  ['192.88.99.0', '192.88.99.255', true, true],
  ['192.168.0.0', '192.168.255.255', true, true],
  ['198.18.0.0', '198.19.255.255', true, true],
  ['198.51.100.0', '198.51.100.255', true, true],
  ['203.0.113.0', '203.0.113.255', true, true],
  ['224.0.0.0', '255.255.255.255', true, false],
];
const IPV6: typeof IPV4 = [
  ['::', '::1', false, false],
  ['64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff', '64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff', false, false],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', false, false],
  ['100::', '100::ffff:ffff:ffff:ffff', false, false],
  ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false, true],
  // Teredo, and all else that IANA assigned to protocols.
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', true, true],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', true, true],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', true, true],
  ['4000::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true, false],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false, false],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false, false],
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false, false],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false, false],
];

const V4 = 32n;
const V6 = 128n;

function numberOf(address: string): bigint {
  if (!address.includes(':')) return address.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const [left = [], right = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return groups.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
}

function v4Of(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((number >> shift) & 255n)).join('.');
}

function v6Of(number: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => (number >> BigInt(112 - 16 * index)) & 65535n);
  return groups.map((group) => group.toString(16)).join(':');
}

/** Checks a range and its neighbours in a notation of `size` numbers. */
function check(
  [first, last, below, above]: (typeof IPV4)[number],
  size: bigint,
  write: (number: bigint) => string,
): void {
  const [start, end] = [numberOf(first), numberOf(last)];
  for (const number of [start, (start + end) / 2n, end])
    assert.equal(isPublic(write(number)), false, write(number));
  if (start > 0n) assert.equal(isPublic(write(start - 1n)), below, `below ${write(start)}`);
  if (end + 1n < 1n << size) assert.equal(isPublic(write(end + 1n)), above, `above ${write(end)}`);
}

describe('a public address', () => {
  test('is in none of the ranges for special purposes', () => {
    for (const range of IPV4) check(range, V4, v4Of);
    for (const range of IPV6) check(range, V6, v6Of);
  });

  test('stays one, or none, as a mapped address, behind NAT64, and in 6to4', () => {
    for (const range of IPV4) {
      check(range, V4, (number) => `::ffff:${v4Of(number)}`);
      check(range, V4, (number) => v6Of((0xffffn << 32n) | number));
      check(range, V4, (number) => `64:ff9b::${v4Of(number)}`);
      check(range, V4, (number) => v6Of((0x2002n << 112n) | (number << 80n) | 1n));
    }
  });

  test('is no other text', () => {
    for (const text of ['', 'localhost', '1.1.1', '8.8.8.8:53', 'fe80::1%eth0', '::ffff:8.8.8'])
      assert.equal(isPublic(text), false, text);
  });
});
