// pg-boss: `fill JOBS` adds the jobs, `work` fetches, does and completes them without the half second between two
// fetches that its own work() keeps.
import PgBoss from 'pg-boss';
import { jobsIn } from './jobs.mjs';

const connectionString = process.env.DATABASE_URL;
const [what, jobs] = process.argv.slice(2);
const queue = 'send';

const boss = new PgBoss({ connectionString, supervise: false, schedule: false });
boss.on('error', (error) => console.error(error));
await boss.start();
if (what === 'fill') {
  await boss.createQueue(queue);
  for (const page of jobsIn(jobs)) await boss.insert(page.map((data) => ({ name: queue, data })));
} else {
  const { doJob, whenTold } = await import('./http.mjs');
  const batchSize = Number(process.env.AT_ONCE) / 2;
  await whenTold(async (stopped) => {
    let isOver = false;
    void stopped.then(() => {
      isOver = true;
    });
    const worker = async () => {
      while (!isOver) {
        const page = await boss.fetch(queue, { batchSize });
        if (page.length === 0) return;
        await Promise.all(page.map(({ data }) => doJob(data)));
        await boss.complete(
          queue,
          page.map(({ id }) => id),
        );
      }
    };
    // While one waits for the database the other one sends.
    await Promise.all([worker(), worker()]);
    await stopped;
  });
}
await boss.stop({ graceful: false });
