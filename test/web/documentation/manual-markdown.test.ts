import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renderMarkdown } from '../../../src/web/documentation/manual-markdown.ts';

const PICTURES = new Map([
  ['map.png', { width: 640, height: 400 }],
  ['plan.svg', undefined],
]);

const htmlOf = (...lines: readonly string[]): string =>
  renderMarkdown(lines.join('\n'), PICTURES).html.trimEnd();

const idsOf = (...lines: readonly string[]): string[] =>
  renderMarkdown(lines.join('\n'), PICTURES).sections.map(({ id }) => id);

describe('a page of the manual', () => {
  test('has the ids of headings that forges give them', () => {
    for (const [heading, id] of [
      ['# Users & _invitations_', 'users--invitations'],
      ['## `catalogue user`, in short', 'catalogue-user-in-short'],
      ['### Où? 2 fois: snake_case-là!', 'où-2-fois-snake_case-là'],
    ] as const)
      assert.deepEqual(idsOf(heading), [id]);
    assert.deepEqual(idsOf('## Backups', '## Backups', '## Backups'), ['backups', 'backups-1', 'backups-2']);
  });

  test('links each heading to itself', () => {
    assert.equal(htmlOf('## Back *up*'), '<h2 id="back-up"><a href="#back-up">Back <em>up</em></a></h2>');
  });

  test('leads from file to file as a forge does', () => {
    for (const [target, address] of [
      ['configure.md', '/manual/configure'],
      ['configure.md#accounts', '/manual/configure#accounts'],
      ['index.md', '/manual'],
      ['index.md#use', '/manual#use'],
      ['#use', '#use'],
      ['https://food.example/?a=1&b="', 'https://food.example/?a=1&amp;b=&quot;'],
      ['mailto:chef@food.example', 'mailto:chef@food.example'],
    ])
      assert.equal(htmlOf(`[x](<${target ?? ''}>)`), `<p><a href="${address ?? ''}">x</a></p>`);
  });

  test('keeps the text alone of a link to anything else', () => {
    const others = [
      '../../../README.md',
      '../swagger.yaml',
      '/api/docs',
      'javascript:alert(1)',
      '//x',
      'x/y.md',
    ];
    for (const target of others)
      assert.equal(htmlOf(`[the *text*](${target})`), '<p>the <em>text</em></p>', target);
  });

  test('shows its pictures, with their sizes where they are known, and of others the description', () => {
    assert.equal(
      htmlOf('![A "map"](map.png)'),
      '<p><img src="/manual/map.png" alt="A &quot;map&quot;" width="640" height="400" loading="lazy"></p>',
    );
    assert.equal(htmlOf('![](plan.svg)'), '<p><img src="/manual/plan.svg" alt="" loading="lazy"></p>');
    for (const target of ['gone.png', 'https://food.example/map.png', '../web-app.png'])
      assert.equal(htmlOf(`![A <map>](${target})`), '<p>A &lt;map&gt;</p>', target);
  });

  test('keeps markup as text, and leaves comments out', () => {
    const html = htmlOf(
      '<script>alert(1)</script>',
      '',
      'a <b onclick="x">c</b> <!-- secret --> d',
      '',
      '<!-- secret -->',
      '',
      '```sh',
      '<i>&amp;',
      '```',
    );
    assert.doesNotMatch(html, /<(?:script|b|i|!)|secret/);
    assert.match(html, /&lt;script&gt;alert\(1\)/);
    assert.match(html, /<pre><code>&lt;i&gt;&amp;amp;\n<\/code><\/pre>/);
  });

  test('puts a table into an element that scrolls, and makes no header of an empty cell', () => {
    const html = htmlOf('## Modes', '', '| Mode | |', '|---|---:|', '| `none` | 1 |');
    assert.match(html, /<div class="table" role="group" aria-labelledby="modes"><table>/);
    assert.match(html, /<th>Mode<\/th>\s*<td align="right"><\/td>/);
  });

  test('has the pages of its lists in their order, each by the first link and under its heading', () => {
    const { entries } = renderMarkdown(
      [
        '- [Install](install.md), before [others](other.md)',
        '- [The part](part.md#x)',
        '- [Elsewhere](https://food.example)',
        '## Use',
        '[In a text](text.md)',
        '- Two:',
        '  - [Search](search.md)',
        '  - [Lists](lists.md)',
      ].join('\n\n'),
      PICTURES,
    );
    assert.deepEqual(entries, [
      { page: 'install', group: '' },
      { page: 'search', group: 'Use' },
      { page: 'lists', group: 'Use' },
    ]);
  });
});
