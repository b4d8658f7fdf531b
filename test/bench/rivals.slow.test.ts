import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { atEnd } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/service.ts';
import { prepareData } from './data.ts';
import { createRequests } from './requests.ts';
import { usualPlan } from './rows.ts';
import { compareAnswers } from './run.ts';
import { type ServerName, startServer } from './servers.ts';

const COMPARED = 20;

describe('the rival of the bench', () => {
  test('answers the same JSON as the service to the requests of every row', async (t) => {
    const { size, ratings, rows } = usualPlan(500);
    const work = temporaryFolder(t);
    const data = await prepareData(size, { store: work, work, ratings });
    const start = async (name: ServerName, from: string): ReturnType<typeof startServer> => {
      const server = await startServer({ name, data: from, log: join(work, 'log'), core: undefined });
      atEnd(t, server.stop);
      return server;
    };
    const service = await start('service', data.folder);
    const fastify = await start('fastify', data.rivalFile('fastify'));
    const compared = rows(createRequests(size)).filter(({ rivals }) => rivals.includes('fastify'));
    assert.ok(compared.length > 8);
    for (const row of compared) await compareAnswers(row, { service, fastify }, COMPARED);
  });
});
