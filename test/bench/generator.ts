import { type Socket, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createAnswerReader } from './answers.ts';
import { quantile } from './figures.ts';
import { cpuMs, forgetPeak, memoryMb } from './machine.ts';
import {
  type BenchRequest,
  type Figures,
  type Plan,
  type Stream,
  type StreamFigures,
  readPlan,
} from './plan.ts';

// The load generator, a process of its own: it reads a plan from standard input and writes figures to standard output.
// Requests are bytes made beforehand and answers are cut without being parsed, so that it needs far less processor time
// than any server that it drives.

const PATIENCE_MS = 60_000;
const WARM = 2_000;
const WARMUPS = 4;

interface Counted {
  readonly times: number[];
  failures: number;
}

interface Running {
  /** Begins to count anew. */
  readonly count: () => void;
  readonly counted: () => Counted;
  readonly stop: () => void;
}

function bytesOf({ method, path, body }: BenchRequest): Buffer {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Accept: application/json'];
  if (body !== undefined)
    head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/** Starts the clients of a stream. A time is counted from when a request was due, so that a stall is not overlooked. */
function run(port: number, stream: Stream): Running {
  const { perSecond } = stream;
  const requests = stream.requests.map(bytesOf);
  const sockets = new Set<Socket>();
  const idle: ((due: number) => void)[] = [];
  const waiting: number[] = [];
  let counted: Counted = { times: [], failures: 0 };
  let next = 0;
  let stopped = false;

  function client(): void {
    let due = 0;
    let socket = open();

    function open(): Socket {
      const opened = connect({ port, host: '127.0.0.1', noDelay: true });
      sockets.add(opened);
      opened.on('data', createAnswerReader(answered));
      opened.on('error', (error) => {
        if (!stopped) throw error;
      });
      opened.on('close', () => {
        sockets.delete(opened);
        if (opened === socket && !stopped) throw new Error('the server closed a connection in use');
      });
      return opened;
    }
    function answered(status: number, closes: boolean): void {
      counted.times.push(performance.now() - due);
      if (status !== 200 && status !== 201) counted.failures += 1;
      // Servers end a connection after many requests.
      if (closes) socket = open();
      if (stopped) return;
      const dueSince = perSecond === undefined ? performance.now() : waiting.shift();
      if (dueSince === undefined) idle.push(send);
      else send(dueSince);
    }
    function send(dueSince: number): void {
      due = dueSince;
      const request = requests[next % requests.length];
      next += 1;
      if (request) socket.write(request);
    }
    if (perSecond === undefined) send(performance.now());
    else idle.push(send);
  }

  for (let index = 0; index < stream.connections; index += 1) client();
  const timer =
    perSecond !== undefined &&
    setInterval(() => {
      const send = idle.shift();
      if (send) send(performance.now());
      else waiting.push(performance.now());
    }, 1_000 / perSecond);
  return {
    count: () => {
      counted = { times: [], failures: 0 };
    },
    counted: () => counted,
    stop: () => {
      stopped = true;
      if (timer) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

function figuresOf({ times, failures }: Counted, seconds: number): StreamFigures {
  const perSecond = times.length / seconds;
  const [p50, p99, most] = [quantile(times, 0.5), quantile(times, 0.99), quantile(times, 1)];
  return { answers: times.length, failures, perSecond, p50, p99, most };
}

/**
 * Keeps this process from falling asleep between answers. A server that is slower than the generator would pay for waking
 * it with each answer, up to twenty microseconds on a virtual machine, and a faster one would not.
 */
function stayAwake(): () => void {
  let isAwake = true;
  const turn = (): void => {
    if (isAwake) setImmediate(turn);
  };
  turn();
  return () => {
    isAwake = false;
  };
}

async function follow({ port, pid, warmupSeconds, seconds, streams }: Plan): Promise<Figures> {
  const running = streams.map((stream) => run(port, stream));
  const fallAsleep = stayAwake();
  for (let round = 0; round < WARMUPS && warmupSeconds > 0; round += 1) {
    await pause(warmupSeconds * 1_000);
    if (running.every(({ counted }) => counted().times.length >= WARM)) break;
  }
  const before = { server: cpuMs(pid), own: cpuMs(process.pid), memory: memoryMb(pid, 'VmRSS') };
  forgetPeak(pid);
  for (const { count } of running) count();
  const started = performance.now();
  await pause(seconds * 1_000);
  // What takes longer than that is waited for once.
  while (running.some(({ counted }) => counted().times.length === 0)) {
    if (performance.now() - started > PATIENCE_MS) throw new Error('no answer within a minute');
    await pause(10);
  }
  const counted = running.map((each) => each.counted());
  const took = (performance.now() - started) / 1_000;
  const after = { server: cpuMs(pid), own: cpuMs(process.pid), memory: memoryMb(pid, 'VmRSS') };
  for (const { stop } of running) stop();
  fallAsleep();
  return {
    seconds: took,
    serverCpuMs: after.server - before.server,
    generatorCpuMs: after.own - before.own,
    memoryMb: after.memory,
    growthMb: memoryMb(pid, 'VmHWM') - before.memory,
    streams: counted.map((each) => figuresOf(each, took)),
  };
}

process.stdout.write(`${JSON.stringify(await follow(readPlan(await text(process.stdin))))}\n`);
