// The smallest service over https: KEY and CERT are in the environment, the port is told.
import { createServer } from 'node:https';

let taken = 0;
const server = createServer({ key: process.env.KEY, cert: process.env.CERT }, (request, reply) => {
  request.resume().on('end', () => {
    taken += 1;
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(JSON.stringify({ message: { message_id: `msg_${taken}`, conversation_id: 'conv_demo' } }));
  });
});
server.listen(0, '10.77.0.1', () => console.log(server.address().port));
