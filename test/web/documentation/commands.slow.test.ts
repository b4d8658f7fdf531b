import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findProgram } from '../../support/edge.ts';
import { GOOGLE_KEY, startFakeGoogle } from '../../support/fake-google.ts';
import { FOR_CONTRIBUTORS, PAGES, codeBlocks, pageText } from '../../support/manual.ts';
import { LOCAL } from '../../support/people.ts';
import { type Logged, type Way, walk } from '../../support/walk.ts';

const MISSING = ['bash', 'curl', 'jq', 'openssl'].filter((name) => findProgram(name) === undefined);
const NO_SHELL = MISSING.length > 0 && `needs the program ${MISSING.join(', ')}`;

const CHEF = { ADMIN_EMAIL: 'chef@example.com', ADMIN_PASSWORD: 'a long password of the chef' };
const UPGRADED = 'before-upgrade-20260801T120000Z';
const DEFINITIONS = codeBlocks(pageText('api.md'), 'sh').find((block) => block.startsWith('api=')) ?? '';
const BY_ACCOUNTS = ['Accounts and tokens', 'Users and invitations'];
const AT_PROVIDER = ['Places'];
const SECOND_MACHINE = `
git clone https://git.example/catalogue.git /opt/catalogue
printf 'READ_ONLY=true\\nPRIMARY_URL=https://food.example\\nDATA_DIR=%s\\n' /var/lib/catalogue > /opt/catalogue/.env`;
const WAYS: readonly Way[] = [
  { page: 'README.md', service: {} },
  { page: 'install.md' },
  { page: 'configure.md' },
  { page: 'accounts.md', before: 'bin/catalogue user create you@example.com' },
  {
    page: 'api.md',
    parts: headings('api.md').filter((name) => ![...BY_ACCOUNTS, ...AT_PROVIDER].includes(name)),
    service: {},
    before: DEFINITIONS,
  },
  ...['local', 'both'].map((AUTH_MODE) => ({
    page: 'api.md',
    parts: BY_ACCOUNTS,
    service: { ...LOCAL, ...CHEF, AUTH_MODE },
    before: DEFINITIONS,
  })),
  {
    page: 'api.md',
    parts: AT_PROVIDER,
    service: {},
    prepare: async (t) => ({ MAPS_API_KEY: GOOGLE_KEY, MAPS_BASE_URL: (await startFakeGoogle(t)).url }),
    before: DEFINITIONS,
  },
  {
    page: 'history.md',
    service: {},
    before: `${DEFINITIONS}\nrestaurant=15; curl -X DELETE $api/restaurants/16`,
  },
  { page: 'duplicates.md', service: {}, before: DEFINITIONS },
  { page: 'outings.md', service: {}, before: DEFINITIONS },
  { page: 'connect.md', service: {}, before: DEFINITIONS },
  { page: 'import-export.md', service: {} },
  { page: 'production.md' },
  {
    page: 'backup.md',
    before: `mkdir -p /opt/catalogue; bin/catalogue backup /var/lib/catalogue/${UPGRADED}`,
    meanwhile: {
      'bin/catalogue restore today.tar': 'rm -r data "$ROOT/volume"',
      'docker compose stop': `cp -R "$ROOT/var/lib/catalogue/${UPGRADED}" "$ROOT/volume"`,
    },
  },
  { page: 'observe.md', service: {} },
  { page: 'performance.md' },
  { page: 'replicas.md', before: SECOND_MACHINE },
];

function headings(page: string): string[] {
  return [...pageText(page).matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
}

/** Others may neither read nor write it. */
const isPrivate = (file: string): boolean => (statSync(file).mode & 0o077) === 0;
const refused = ({ status }: Logged): boolean => Number(status) >= 400;

describe('the commands of README and the manual', { skip: NO_SHELL }, () => {
  for (const way of WAYS) {
    const mode = way.service?.['AUTH_MODE'];
    const from = way.parts ? `, from "${way.parts[0] ?? ''}"` : '';
    test(`can be pasted: ${way.page}${from}${mode === undefined ? '' : ` in mode ${mode}`}`, async (t) => {
      const { requests, folder } = await walk(t, way);
      assert.deepEqual(requests.filter(refused), []);
      const settings = join(folder, '.env');
      if (existsSync(settings)) assert.ok(isPrivate(settings), settings);
      // The tour has downloaded a photo.
      const seen = join(folder, 'seen.jpg');
      if (way.parts?.includes('Menu photos'))
        assert.deepEqual(readFileSync(seen).subarray(0, 2), Buffer.from([0xff, 0xd8]));
    });
  }

  test('are all among these', () => {
    const ways = new Set(WAYS.map(({ page }) => page));
    const others = [...PAGES].filter(([page]) => !ways.has(page) && !FOR_CONTRIBUTORS.includes(page));
    assert.deepEqual(
      others.filter(([, text]) => codeBlocks(text, 'sh').length > 0).map(([page]) => page),
      [],
    );
  });
});
