import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, test } from '../../support/chromium.ts';
import { changeStored } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { openApp } from '../../support/web-app.ts';

const NAME = `</script><script>document.title='run'</script><!--<script>`;

describe('the data of a page in a browser', { skip: NO_BROWSER }, () => {
  test('are text that the policy of the page allows, whatever they hold', async (t) => {
    const first = await startService(t);
    await first.api.post('/restaurants', { name: 'Anna', description: 'A < B' });
    await first.stop();
    changeStored(first.folder, 'UPDATE restaurants SET name = ?', NAME);
    const service = await startService(t, { DATA_DIR: first.folder });
    for (const path of ['/', '/restaurants/1']) {
      // Reports of the policy fail the test, as all that a page writes to its console.
      const { page } = await openApp(t, service, {
        path,
        prepare: (context) =>
          context.addInitScript(`addEventListener('securitypolicyviolation', () => (window.refused = true))`),
      });
      await page.getByText(NAME).first().waitFor();
      const html = await page.evaluate(`fetch(location.href).then((answer) => answer.text())`);
      // The app itself takes no markup from a text.
      const blank = await page.context().newPage();
      const read: unknown[] = await blank.evaluate(`(() => {
        const parsed = new DOMParser().parseFromString(${JSON.stringify(html)}, 'text/html');
        return [
          Object.values(JSON.parse(parsed.getElementById('data').textContent).answers)
            .flatMap((body) => body.data ?? body)
            .some((place) => place.name === ${JSON.stringify(NAME)}),
          [...parsed.scripts].map((script) => script.type),
        ];
      })()`);
      read.push(await page.evaluate('window.refused ?? false'));
      assert.deepEqual(read, [true, ['', 'application/json', 'module'], false], path);
    }
  });

  test('are not in the page that the service worker has stored', async (t) => {
    const { page } = await openApp(t, await startService(t), { worker: true });
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    const stored: unknown = await page.evaluate(`caches.keys()
      .then((names) => caches.open(names.find((name) => name.startsWith('shell '))))
      .then((cache) => cache.match('/?shell'))
      .then((answer) => answer.text())
      .then((html) => JSON.parse(/id="data">([^]*?)<\\/script>/.exec(html)[1]))`);
    assert.deepEqual(stored, { at: 0, answers: {}, start: null });
  });
});
