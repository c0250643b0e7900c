// What every queue does for a job: the same request to the same service, over connections that stay open.
import { Pool } from 'undici';

const pool = new Pool(process.env.SERVICE_URL, { connections: Number(process.env.AT_ONCE) });
const headers = { authorization: 'Bot bench', 'content-type': 'application/json' };
let done = 0;
let told = 0;

export async function doJob({ path, ...job }) {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path,
    headers,
    body: JSON.stringify(job),
  });
  await body.text();
  if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  done += 1;
}

/** Tells how many are done, and works from the word to go until the word to stop. */
export async function whenTold(work) {
  const telling = setInterval(() => {
    if (done === told) return;
    told = done;
    process.send({ done });
  }, 5);
  await new Promise((resolve) => {
    process.once('message', resolve);
    process.send({ ready: true });
  });
  const stopped = new Promise((resolve) => process.once('message', resolve));
  await work(stopped);
  clearInterval(telling);
  await pool.close();
  process.disconnect();
}
