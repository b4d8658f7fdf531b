import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  addressKey,
  clientAddress,
  isListed,
  normaliseAddress,
  parseAddressRanges,
} from '../../src/http/address.ts';

const MAPPED = [
  '::ffff:203.0.113.66',
  '::FFFF:203.0.113.66',
  '::ffff:cb00:7142',
  '::ffff:CB00:7142',
  '0:0:0:0:0:ffff:cb00:7142',
  '0000:0000:0000:0000:0000:ffff:cb00:7142',
  '0::ffff:203.0.113.66',
  '0:0:0:0:0:ffff:203.0.113.66',
  '[::ffff:cb00:7142]:443',
  '::ffff:cb00:7142%eth0',
  '::0:ffff:cb00:7142',
];
const LOOPBACK = parseAddressRanges(['loopback']);

describe('the client address', () => {
  const cases: readonly [string, string, string | undefined, string][] = [
    ['is the peer without a header', '203.0.113.9', undefined, '203.0.113.9'],
    ['is the peer when the peer is not trusted, whatever it claims', '203.0.113.9', '1.2.3.4', '203.0.113.9'],
    ['is the right-most entry behind a trusted peer', '127.0.0.1', '6.6.6.6, 198.51.100.7', '198.51.100.7'],
    [
      'skips trusted entries from the right',
      '127.0.0.1',
      '6.6.6.6, 198.51.100.7, 127.0.0.1, ::1',
      '198.51.100.7',
    ],
    ['is the left-most entry when all are trusted', '127.0.0.1', '127.0.0.3, 127.0.0.2', '127.0.0.3'],
    [
      'stays at the last good hop before an entry that is no address',
      '127.0.0.1',
      '1.2.3.4, evil, 127.0.0.2',
      '127.0.0.2',
    ],
    ['stays at the peer when the last entry is no address', '127.0.0.1', '1.2.3.4, unknown', '127.0.0.1'],
    ['stays at the peer for an empty header', '127.0.0.1', '', '127.0.0.1'],
    ['is nothing for a socket that is closed already', '', '1.2.3.4', ''],
    ['comes without port', '127.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
    ['comes without brackets and port', '::1', '[2001:db8::1]:443', '2001:db8::1'],
    ['comes without the IPv4-mapped prefix', '::ffff:127.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
    ...MAPPED.map((spelling): [string, string, string, string] => [
      `is the IPv4 address behind ${spelling}`,
      '::ffff:7f00:1',
      spelling,
      '203.0.113.66',
    ]),
    ['skips a trusted entry that is mapped', '127.0.0.1', '6.6.6.6, ::FFFF:7F00:2', '6.6.6.6'],
    ['is not shortened or widened: 1.2.3 is no address', '127.0.0.1', '1.2.3', '127.0.0.1'],
    ['does not take numbers for addresses', '127.0.0.1', '2130706433', '127.0.0.1'],
  ];
  for (const [title, peer, header, expected] of cases)
    test(title, () => {
      const { address, key } = clientAddress(peer, header, LOOPBACK);
      assert.deepEqual([address, key], [expected, addressKey(expected)]);
    });

  test('may be trusted by range', () => {
    const trusted = parseAddressRanges(['private', '198.51.100.0/24', '2001:db8::/32']);
    assert.equal(
      clientAddress('10.1.2.3', '9.9.9.9, 198.51.100.200, 172.31.0.1', trusted).address,
      '9.9.9.9',
    );
    assert.equal(clientAddress('2001:db8::5', '9.9.9.9', trusted).address, '9.9.9.9');
    assert.equal(clientAddress('172.32.0.1', '9.9.9.9', trusted).address, '172.32.0.1');
  });

  const ranges: readonly [string, readonly string[], readonly string[]][] = [
    ['::ffff:10.0.0.0/104', ['10.1.2.3', '::ffff:a01:203'], ['11.0.0.1', '::a00:1']],
    ['0:0:0:0:0:FFFF:a00:0/104', ['10.255.0.1'], ['9.255.255.255']],
    ['::ffff:203.0.113.66', ['203.0.113.66', '::FFFF:cb00:7142'], ['203.0.113.67']],
    ['::ffff:0.0.0.0/96', ['203.0.113.66'], ['2001:db8::1']],
    ['10.0.0.0/8', ['::ffff:a01:203', '0:0:0:0:0:ffff:10.1.2.3'], ['::ffff:b01:203']],
  ];
  for (const [range, inside, outside] of ranges)
    test(`takes ${range} for a range of IPv4 addresses, however they are spelled`, () => {
      const trusted = parseAddressRanges([range]);
      const listed = (addresses: readonly string[]): boolean[] =>
        addresses.map((address) => isListed(trusted, address));
      assert.deepEqual([...new Set(listed(inside)), ...new Set(listed(outside))], [true, false]);
    });

  for (const entry of [
    '::ffff:10.0.0.0/129',
    '1.2.3.4/33',
    '1.2.3.4/-1',
    '::/129',
    'localhost',
    '1.2.3.4/8/8',
    '',
    '10.0.0.0/',
  ])
    test(`refuses the range "${entry}"`, () => {
      assert.throws(() => parseAddressRanges([entry]), RangeError);
    });
});

describe('the key of a client', () => {
  const cases: readonly [string, string][] = [
    ['198.51.100.7', '198.51.100.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
    ['fe80:0:0:0::', 'fe80:0:0:0::/64'],
  ];
  for (const [address, key] of cases)
    test(`is ${key} for ${address}`, () => {
      assert.equal(addressKey(address), key);
    });
});

describe('an address in a header', () => {
  const cases: readonly [string, string | undefined][] = [
    [' 1.2.3.4 ', '1.2.3.4'],
    ['[::1]', '::1'],
    ['FE80::1%eth0', 'fe80::1'],
    ['1.2.3.4:port', undefined],
    ['[1.2.3.4', undefined],
    ['256.1.1.1', undefined],
    ['01.2.3.4', undefined],
    ['<script>', undefined],
    ['_hidden', undefined],
  ];
  for (const [text, expected] of cases)
    test(`"${text}" is ${expected ?? 'none'}`, () => {
      assert.equal(normaliseAddress(text), expected);
    });
});
