import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, array, field, record, textOf } from '../support/client.ts';
import { startService } from '../support/service.ts';
