// The smallest service that takes a message: what is measured is the client.
import { createServer } from 'node:http';

let taken = 0;
const server = createServer((request, reply) => {
  request.resume().on('end', () => {
    taken += 1;
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(JSON.stringify({ message: { message_id: `msg_${taken}`, conversation_id: 'conv_demo' } }));
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
