import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createAnswerReader } from './answers.ts';
import { quantile } from './figures.ts';
import { cpuMs, forgetPeak, memoryMb } from './machine.ts';
import type { BenchRequest, Figures, Plan, Stream, StreamFigures, Times } from './plan.ts';

// The load generator, a process of its own: its parent sends it a plan and gets figures. Requests are bytes made
// beforehand and answers are cut without being parsed, so that it needs far less processor time than any server that it
// drives.

const PATIENCE_MS = 60_000;
const CHECK_MS = 20;
// A server that waits for the disk works little.
const LONGEST = 4;

interface Answered {
  readonly ms: number;
  readonly request: BenchRequest | undefined;
}

interface Counted {
  readonly answers: Answered[];
  failures: number;
}

interface Running {
  /** Starts counting anew. */
  readonly count: () => void;
  readonly counted: () => Counted;
  /** Whether all requests of a stream that sends each once are answered. */
  readonly isUsedUp: () => boolean;
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
  const { perSecond, once: isOnce = false } = stream;
  const requests = stream.requests.map(bytesOf);
  const sockets = new Set<Socket>();
  const idle: ((due: number) => void)[] = [];
  const waiting: number[] = [];
  let counted: Counted = { answers: [], failures: 0 };
  let next = 0;
  let underWay = 0;
  let stopped = false;

  function client(): void {
    let due = 0;
    let index = 0;
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
      underWay -= 1;
      counted.answers.push({ ms: performance.now() - due, request: stream.requests[index] });
      if (status !== 200 && status !== 201) counted.failures += 1;
      // Servers end a connection after many requests.
      if (closes) socket = open();
      if (stopped) return;
      const dueSince = perSecond === undefined ? performance.now() : waiting.shift();
      if (dueSince === undefined) idle.push(send);
      else send(dueSince);
    }
    function send(dueSince: number): void {
      if (isOnce && next >= requests.length) return;
      due = dueSince;
      index = next % requests.length;
      const request = requests[index];
      next += 1;
      underWay += 1;
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
      counted = { answers: [], failures: 0 };
    },
    counted: () => counted,
    isUsedUp: () => isOnce && next >= requests.length && underWay === 0,
    stop: () => {
      stopped = true;
      if (timer) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

function figuresOf({ answers, failures }: Counted, seconds: number): StreamFigures {
  const groups = new Map<string, Answered[]>();
  for (const answer of answers) {
    const group = answer.request?.group;
    if (group === undefined) continue;
    const members = groups.get(group) ?? [];
    groups.set(group, members);
    members.push(answer);
  }
  return {
    ...timesOf(answers),
    failures,
    perSecond: answers.length / seconds,
    groups: Object.fromEntries([...groups].map(([name, members]) => [name, timesOf(members)])),
  };
}

function timesOf(answers: readonly Answered[]): Times {
  const times = answers.map(({ ms }) => ms);
  const worst = quantile(times, 1);
  return {
    answers: answers.length,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    worst,
    worstPath: answers.find(({ ms }) => ms === worst)?.request?.path ?? '',
  };
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

/**
 * Waits until the server has worked for so long (for its processor time; for the clock, where that cannot be read), and
 * at most `LONGEST` times as long by the clock. A machine that has other things to do then measures no less.
 */
async function untilWorked(pid: number, seconds: number, isOver: () => boolean): Promise<void> {
  const [started, before] = [performance.now(), cpuMs(pid)];
  for (;;) {
    const [elapsed, worked] = [performance.now() - started, cpuMs(pid) - before];
    const done = Number.isNaN(worked) ? elapsed : Math.max(worked, elapsed / LONGEST);
    if (done >= seconds * 1_000 || isOver()) return;
    await pause(CHECK_MS);
  }
}

async function follow({ port, pid, warmupSeconds, seconds, streams }: Plan): Promise<Figures> {
  const running = streams.map((stream) => run(port, stream));
  const fallAsleep = stayAwake();
  const isUsedUp = (): boolean => running.some((each) => each.isUsedUp());
  await untilWorked(pid, warmupSeconds, isUsedUp);
  if (isUsedUp()) throw new Error('too few requests: they ended in the warm-up');
  const before = { server: cpuMs(pid), own: cpuMs(process.pid), memory: memoryMb(pid, 'VmRSS') };
  forgetPeak(pid);
  for (const { count } of running) count();
  const started = performance.now();
  await untilWorked(pid, seconds, isUsedUp);
  // An answer that takes longer than that is waited for once.
  while (running.some(({ counted }) => counted().answers.length === 0)) {
    if (performance.now() - started > PATIENCE_MS) throw new Error('no answer within a minute');
    await pause(CHECK_MS);
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

function isPlan(message: unknown): message is Plan {
  return typeof message === 'object' && message !== null && 'streams' in message;
}

const messages: unknown[] = await once(process, 'message');
const [plan] = messages;
if (!isPlan(plan)) throw new Error('no plan');
process.send?.(await follow(plan));
process.disconnect();
