import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openStorage } from '../../src/storage/storage.ts';
import { openPersonal } from '../../src/personal.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { alignedTable, figure, quantile } from './figures.ts';
import { generateCatalogue } from './generate.ts';

// What a page of 100 of many visits costs, and what `include=mine` needs for a page of 20. Worst rows first.
const VISITS = Number(process.env['VISITS'] ?? 10_000);
const RESTAURANTS = Number(process.env['RESTAURANTS'] ?? 100_000);
const ROUNDS = 200;
