import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { type Handshakes, createHandshakes } from '../../src/identity/handshake.ts';

const KEY = Buffer.alloc(32, 7);
const MINUTE = 60_000;

function handshakes(options: Partial<Parameters<typeof createHandshakes>[0]> = {}): Handshakes {
  return createHandshakes({ key: KEY, provider: 'oidc', secure: false, ...options });
}

const cookieOf = (cookie: string): string => cookie.split(';')[0] ?? '';

describe('a handshake', () => {
  test('gives its proofs back to the browser that began it, once', () => {
    const shakes = handshakes();
    const { proofs, challenge, cookie } = shakes.begin();
    assert.equal(challenge, createHash('sha256').update(proofs.verifier).digest('base64url'));
    assert.equal(new Set(Object.values(proofs)).size, 3);
    assert.deepEqual(shakes.finish(`a=b; ${cookieOf(cookie)}; c=d`, proofs.state), proofs);
    assert.equal(shakes.finish(cookieOf(cookie), proofs.state), undefined);
  });

  test('has a cookie for http that is like the one for https but for what needs https', () => {
    const [plain, secure] = [handshakes(), handshakes({ secure: true })];
    assert.match(plain.begin().cookie, /^sign_in_oidc=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.match(
      secure.begin().cookie,
      /^__Host-sign_in_oidc=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    assert.equal(secure.clear, '__Host-sign_in_oidc=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure');
  });

  test('is over after ten minutes, and not begun in the future', () => {
    const clock = { now: 100 * MINUTE };
    const shakes = handshakes({ now: () => clock.now });
    const finishAt = (minutes: number): boolean => {
      clock.now = 100 * MINUTE;
      const { proofs, cookie } = shakes.begin();
      clock.now += minutes * MINUTE;
      return shakes.finish(cookieOf(cookie), proofs.state) !== undefined;
    };
    assert.deepEqual([0, 9.99, 10, 60, -1].map(finishAt), [true, true, false, false, false]);
  });

  test('survives a restart, but no other key and no other provider', () => {
    const { proofs, cookie } = handshakes().begin();
    const header = cookieOf(cookie);
    assert.equal(handshakes({ key: Buffer.alloc(32, 8) }).finish(header, proofs.state), undefined);
    assert.equal(
      handshakes({ provider: 'idp' }).finish(header.replace('oidc', 'idp'), proofs.state),
      undefined,
    );
    assert.deepEqual(handshakes().finish(header, proofs.state), proofs);
  });

  test('is spoilt by any other bit of its cookie, and by a part of it', () => {
    const shakes = handshakes();
    const { proofs, cookie } = shakes.begin();
    const [name = '', sealed = ''] = cookieOf(cookie).split('=');
    const bytes = Buffer.from(sealed, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(
        shakes.finish(`${name}=${changed.toString('base64url')}`, proofs.state),
        undefined,
        `bit ${bit}`,
      );
    }
    for (let length = 0; length < bytes.length; length += 1)
      assert.equal(
        shakes.finish(`${name}=${bytes.subarray(0, length).toString('base64url')}`, proofs.state),
        undefined,
      );
    for (const header of [undefined, '', name, `x${name}=${sealed}`, `${name}=`])
      assert.equal(shakes.finish(header, proofs.state), undefined);
    assert.deepEqual(shakes.finish(`${name}=${sealed}`, proofs.state), proofs);
  });
});
