import type { Channel, Flight } from './flight.ts';

/**
 * Many requests at a time, each on a channel of its own; a channel is used again once its reply was judged: until
 * then nobody knows whether its connection is fit for another.
 */
export function poolChannels(open: () => Channel): Channel {
  // What forbids a channel must be known before anything is to be sent on it.
  const all = [open()];
  const free = [...all];
  const openAnother = (): Channel => {
    const channel = open();
    all.push(channel);
    return channel;
  };
  return {
    fly: async (shipment, limits) => {
      const channel = free.pop() ?? openAnother();
      const giveBack = (): void => {
        free.push(channel);
      };
      try {
        return whenJudged(await channel.fly(shipment, limits), giveBack);
      } catch (error) {
        giveBack();
        throw error;
      }
    },
    close: async () => {
      await Promise.all(all.map((channel) => channel.close()));
    },
  };
}

function whenJudged(flight: Flight, giveBack: () => void): Flight {
  if (flight.came === 'nothing' || flight.socket === undefined) {
    giveBack();
    return flight;
  }
  const { socket } = flight;
  return {
    ...flight,
    socket: {
      before: socket.before,
      keep: (exchange) => {
        socket.keep(exchange);
        giveBack();
      },
      drop: async () => {
        await socket.drop();
        giveBack();
      },
    },
  };
}
