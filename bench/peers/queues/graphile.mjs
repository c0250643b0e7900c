// graphile-worker: `fill JOBS` adds the jobs, `work` does them. TUNED=1: jobs are fetched ahead and completed together.
import { makeWorkerUtils, run, runMigrations } from 'graphile-worker';
import { jobsIn } from './jobs.mjs';

const connectionString = process.env.DATABASE_URL;
const [what, jobs] = process.argv.slice(2);

if (what === 'fill') {
  await runMigrations({ connectionString });
  const utils = await makeWorkerUtils({ connectionString });
  for (const page of jobsIn(jobs)) {
    await utils.addJobs(page.map((payload) => ({ identifier: 'send', payload })));
  }
  await utils.release();
} else {
  const { doJob, whenTold } = await import('./http.mjs');
  const atOnce = Number(process.env.AT_ONCE);
  const tuned = {
    localQueue: { size: 512, ttl: 60_000 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  };
  const worker = {
    connectionString,
    concurrentJobs: atOnce,
    ...(process.env.TUNED === '1' ? tuned : {}),
  };
  const nothing = () => {};
  await whenTold(async (stopped) => {
    const runner = await run({
      preset: { worker: { ...worker, logger: new (await import('graphile-worker')).Logger(() => nothing) } },
      taskList: { send: doJob },
      noHandleSignals: true,
    });
    await stopped;
    await runner.stop();
  });
}
