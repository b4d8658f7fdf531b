import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readFields, urlField } from '../../../src/kit/input/fields.ts';
import { sanitise } from '../../../src/kit/input/sanitise.ts';
import { randomNumbers } from '../../support/catalogue.ts';
import { field } from '../../support/client.ts';
import { startService } from '../../support/service.ts';
import { longTest, scaled } from '../../support/size.ts';

const STARTS_MARKUP = /<[a-z/!?]/i;

const INNOCENT: readonly string[] = [
  'Fish & Chips',
  'I <3 it',
  '5 < 6 > 4',
  'AT&T',
  'a < b',
  'a<1',
  '<',
  '>',
  '<>',
  '< script>',
  '<3 <3 <3',
  '<<<',
  '->- -->',
  '"quoted" \'single\' `tick`',
  '&lt;script&gt;',
  '&amp;',
  'C:\\dir\\file',
  '🍕👩‍🍳🏳️‍🌈',
  'مطعم بيت قفه',
  'שלום',
  '寿司 築地',
  'line one\nline two\ttabbed',
  '<é>',
  'javascript is a word',
  'onclick=1',
  '$5 <€6',
];

const HOSTILE: readonly [string, string][] = [
  ['<b>bold</b>', 'bold'],
  ['a<br/>b', 'ab'],
  ['<script>alert(1)</script>', ''],
  ['a<script>alert(1)</script>b', 'ab'],
  ['<SCRIPT src=//x>y</ScRiPt >z', 'z'],
  ['<script\n>x</script\n>y', 'y'],
  ['<script/x>y</script/x>z', 'z'],
  ['<script>never closed', ''],
  ['<script>a</script', ''],
  ['<script>a</scriptx>b</script>c', 'c'],
  ['<style>*{}</style>x', 'x'],
  ['<iframe src=x>y</iframe>z', 'z'],
  ['<object data=x>y</object>z', 'z'],
  ['<template><img></template>z', 'z'],
  ['<embed src=x>y', 'y'],
  ['<embed src=x>y</embed>z', 'z'],
  ['<scripty>x</scripty>', 'x'],
  ['<img src=x onerror=alert(1)>', ''],
  ['<img src=x onerror=alert(1)', 'img src=x onerror=alert(1)'],
  ['<svg/onload=alert(1)>', ''],
  ['<a href="javascript:alert(1)">x</a>', 'x'],
  ['<a title="a > b">x</a>', 'x'],
  [`<img alt='>' src=x onerror=alert(1)>y`, 'y'],
  ['<!-- note -->x', 'x'],
  ['<!--> x -->y', ' x -->y'],
  ['<!-- a > b -->c', 'c'],
  ['<!-- open <b>x</b>', 'x'],
  ['<!DOCTYPE html>x', 'x'],
  ['<![CDATA[x]]>y', 'y'],
  ['<?php echo 1 ?>x', 'x'],
  ['</p>x', 'x'],
  ['</ p>x', 'x'],
  ['x</', 'x/'],
  ['x<!', 'x!'],
  ['x<a', 'xa'],
  ['<scr<script>ipt>alert(1)</script>', 'ipt>alert(1)'],
  ['<<b>script>alert(1)<<b>/script>', ''],
  ['<<script>x</script>b>y', 'y'],
  ['<<<b>b>b>x', 'x'],
  ['<\u0000script>x</script>y', 'y'],
  ['<scr\u0001ipt>x</script>y', 'y'],
  ['a\u0000b\u0007c\u001bd\u007fe\u0085f', 'abcdef'],
  ['a\r\nb', 'a\nb'],
];

describe('sanitising', () => {
  test('leaves text that is no markup as it was typed', () => {
    for (const text of INNOCENT) assert.equal(sanitise(text), text);
  });

  test('takes markup and control characters out', () => {
    for (const [input, expected] of HOSTILE) {
      assert.equal(sanitise(input), expected, JSON.stringify(input));
      assert.equal(sanitise(expected), expected);
      assert.doesNotMatch(expected, STARTS_MARKUP);
    }
  });

  test('leaves nothing that starts markup and nothing to do for a second pass, whatever is put together', () => {
    const random = randomNumbers(23);
    const pieces = [
      '<',
      '<',
      '>',
      '</',
      '/',
      '!--',
      '-->',
      '--',
      '!',
      '?',
      ' ',
      '"',
      '=',
      'x',
      '3',
      'é',
      '\n',
      '\u0000',
      'script',
      'SCRIPT',
      'style',
      'embed',
      'b',
      '<script>',
      '</script>',
      '<b>',
    ];
    for (let round = 0; round < scaled(50_000); round += 1) {
      const length = 1 + Math.floor(random() * 12);
      const text = Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)]).join('');
      const clean = sanitise(text);
      assert.doesNotMatch(clean, STARTS_MARKUP, JSON.stringify(text));
      assert.equal(sanitise(clean), clean, JSON.stringify(text));
    }
  });

  // Work that grows with the square of the length would take minutes.
  const LENGTH = 240_000;
  // Pieces of so many characters in all, what follows them, and what is left of both.
  const LARGE: readonly [string, string, string][] = [
    ['<', '', '<'.repeat(LENGTH)],
    ['<b', '', 'b'.repeat(LENGTH / 2)],
    ['<b ', '>', ''],
    ['<!--', '', '!--'.repeat(LENGTH / 4)],
    ['<!--', '-->', ''],
    ['<embed>', '', ''],
    ['<embed>', '</embed>', ''],
    ['<embed></embedx>', '', ''],
    ['<script>', '', ''],
    ['<script></script>', 'x', 'x'],
    ['<script></scriptx', '', ''],
    ['</script', '>', ''],
    ['<<b>', 'b>', '<'.repeat(LENGTH / 4 - 1)],
    ['<b>>', '', '>'.repeat(LENGTH / 4)],
    ['<a b="', '', 'a b="'.repeat(LENGTH / 6)],
    ['<3 ', '', '<3 '.repeat(LENGTH / 3)],
    ['\u0000', '<b>', ''],
  ];
  longTest('gets through long texts', () => {
    for (const [piece, end, expected] of LARGE) {
      const clean = sanitise(piece.repeat(LENGTH / piece.length) + end);
      assert.doesNotMatch(clean, STARTS_MARKUP);
      assert.ok(clean === expected, `${piece}: ${clean.length} characters: ${clean.slice(0, 40)}`);
    }
  });

  test('stands before the length is counted, and is answered as it is stored, without entities', async (t) => {
    const { api } = await startService(t);
    const answer = await api.post('/restaurants', {
      name: `Fish & Chips${'<b>'.repeat(200)}`,
      description: 'I <3 it <script>x</script>AT&T',
    });
    assert.equal(answer.status, 201);
    assert.equal(field(answer.body, 'name'), 'Fish & Chips');
    assert.equal(field(answer.body, 'description'), 'I <3 it AT&T');
  });
});

describe('a web address', () => {
  test('may have letters beyond ASCII, the ten-thousandth time as the first', () => {
    for (let round = 0; round < 20_000; round += 1) {
      const fields = readFields({ website: 'https://www.säge-flüh.ch/' });
      assert.equal(urlField(fields, 'website', 500), 'https://www.säge-flüh.ch/');
      assert.deepEqual(fields.faults, [], `in round ${round}`);
    }
  });
});
