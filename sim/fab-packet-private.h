/* fab-packet-private.h - the state of one packet run: rows in flat arrays, joined by 32-bit indexes
 *
 * A packet stands in a queue: the packets that came in over one lane and wait for another. The queues that wait for one lane form a
 * ring, served in turn. A lane is one virtual lane of a directed link, with the credits its sender has for the receiver's buffer.
 * A path is a list of queues, so that a hop looks nothing up.
 */
#pragma once
#include "fab-packet-clock.h"
#include "fab-packet-map.h"
#include "base/fab-stream-private.h"
#include "fab-packet.h"
#include "fab-trace-private.h"

G_BEGIN_DECLS

#define FAB_PACKET_BLOCK_BYTES 64u
#define FAB_PACKET_MAX_BLOCKS 2048u      /* half of the modulus of the 12-bit credit counters */
#define FAB_PACKET_NO_SIZE G_MAXUINT16   /* of a queue whose packets all take the odd way */
#define FAB_PACKET_MAX_SPEEDUP 4u
#define FAB_PACKET_NO_SLOT 255u
#define FAB_PACKET_WAY 0x80000000u       /* a hop that is no queue but a way: switches choose, up to its NIC */

typedef enum
{
  FAB_PACKET_ARRIVE,       /* target: packet; it may leave the queue it is in from now on */
  FAB_PACKET_FREE,         /* link; it sent its packet */
  FAB_PACKET_CREDIT,       /* lane, value: blocks come back */
  FAB_PACKET_RELEASE,      /* lane, value: blocks leave its buffer, or (bit 16) come in; flow control is by packets */
  FAB_PACKET_GRANT,        /* lane, value: a flow-control packet comes in */
  FAB_PACKET_GRANT_DUE,    /* lane, value: a flow-control packet is to go back, or forth */
  FAB_PACKET_NEXT,         /* lane: the next of its input's one queue gets to the head */
  FAB_PACKET_READY,        /* flow; it may send again */
  FAB_PACKET_POSTED,       /* flow; its receiver granted another step of the window */
  FAB_PACKET_GO_BACK,      /* flow; its sender hears of a gap */
  FAB_PACKET_RETRY,        /* flow, value: packets in when it began to wait */
  FAB_PACKET_LOAD,         /* open-loop source: a packet arrives */
  FAB_PACKET_LIFE,         /* lane; the oldest head may be too old */
  FAB_PACKET_BEGIN,        /* operation; its bytes may go */
  FAB_PACKET_FINISH,       /* operation */
  FAB_PACKET_NOTHING,      /* no event: as many as were asked for have run */
} FabPacketKind;

enum
{
  FAB_PACKET_WATCHED = 1,   /* it has a probe */
  FAB_PACKET_CHOOSES = 2,   /* its queue is the last it was in: it takes one of several when it arrives */
};

typedef struct
{
  guint32 flow;
  guint32 hop;             /* into the hops: the queue it is in, or on its way to */
  guint32 queue;           /* that queue */
  guint32 next;            /* in its queue */
  gint64  since_ps;        /* when it could have left */
  guint32 number;          /* of its flow, from 0 */
  guint16 payload_bytes;
  guint16 flags;
} FabPacket;
G_STATIC_ASSERT (sizeof (FabPacket) == 32);   /* with its pending event and the row of its probe, 52 bytes a packet in flight */

enum
{
  FAB_PACKET_QUEUE_LIMITED = 1,   /* its input feeds more outputs than it may at once */
  FAB_PACKET_QUEUE_GATE = 2,      /* packets that leave it pass the gate of its lane */
};

typedef struct
{
  guint32 head, tail;      /* packets; head FAB_NONE: empty */
  guint32 next;            /* in the ring of its lane */
  guint32 lane, link;      /* it waits for these */
  guint32 in_lane;         /* whose buffer it stands in; FAB_NONE: the sender's own memory */
  guint16 arrive_track;    /* from the start of a full packet on @in_lane to when it may leave here */
  guint16 credit_track;    /* from the start of a full packet out of here to when its credit is back */
  guint16 full_bytes;      /* the payload these tracks are for */
  guint16 flags;
} FabPacketQueue;
G_STATIC_ASSERT (sizeof (FabPacketQueue) == 32);

enum
{
  FAB_PACKET_LIFE_NONE,      /* packets may stand here for ever */
  FAB_PACKET_LIFE_IDLE,
  FAB_PACKET_LIFE_WATCHED,   /* a LIFE event will come */
  FAB_PACKET_LIFE_STALLED,   /* what comes is dropped, until a LIFE event comes */
};

typedef struct
{
  gint32  credits;         /* blocks that may still be sent */
  guint32 last_queue;      /* of the ring; FAB_NONE: nothing waits */
  guint32 link;
  guint8  vl;
  guint8  starved;         /* something waits here for credits */
  guint8  unlimited;       /* what comes out is taken at once, and the buffer covers the round trip */
  guint8  stopped;         /* its receiver takes nothing out */
  guint64 n_packets, n_bytes;
  guint32 n_queued, max_queued;
  gint64  queue_wait_ps;
  gint64  starved_since_ps;
  gint32  least_credits;
  guint16 sink_track;      /* from the start of a full packet to its credit, where it ends here */
  guint16 life;            /* FAB_PACKET_LIFE_… */
} FabPacketLaneRow;
G_STATIC_ASSERT (sizeof (FabPacketLaneRow) == 64);

/* What is seldom asked of a lane. */
typedef struct
{
  gint64  starved_ps;
  gint64  end_ps;          /* where packets end here: from the last bit's start to its end */
  gint32  buffer_blocks;
  guint32 n_discards, n_errors;
  guint64 error_bytes;
  guint32 n_in_a_row;      /* discards without a packet sent between */
  guint64 n_packets_then;  /* sent when the last was discarded */
  gint64  life_ps;         /* at the head; 0: for ever */
  guint8  ends;            /* nothing goes on from its receiver */
} FabPacketLaneMore;

/* Whose turn it is among the virtual lanes of a link; of the low and the high table. */
typedef struct
{
  gint32  left[2];         /* weight of the entry, units of 64 bytes */
  gint32  high_left;       /* units until low has its chance */
  guint16 plane;
  guint8  at[2];           /* entry */
} FabPacketArbiter;

typedef struct
{
  gint64  free_ps;         /* when the last packet will have left */
  gint64  full_ps;         /* a full packet on the wire */
  guint32 first_lane;
  guint8  n_lanes;
  guint8  pending;         /* a FREE event will come */
  guint8  n_waiting;       /* lanes with something to send */
  guint8  paired;          /* both directions together have a cap */
  guint16 free_track;
  guint16 full_bytes;      /* payload of a full packet */
  guint16 header_bytes;
  guint16 odd_bytes;       /* a payload that was asked for before, and its time */
  gint64  odd_ps;
  guint64 rate_bps;        /* of payload and headers */
  FabPacketArbiter arbiter; /* of several lanes */
} FabPacketLinkRow;
G_STATIC_ASSERT (sizeof (FabPacketLinkRow) == 64);

/* What one port may have under way between its NIC's memory and its wire, dealt out to its flows in turn. */
typedef struct
{
  guint32 last_flow;       /* of the ring of flows that may send; FAB_NONE */
  guint32 n_ahead, max_ahead;
} FabPacketGate;

typedef struct
{
  guint64 n_bytes_left;    /* to be made packets of */
  guint32 n_made, n_packets, n_delivered;
  guint32 hop;             /* first of its path */
  guint32 next;            /* in the ring of its gate */
  guint32 gate;
  guint32 op;
  guint32 path;
  guint16 full_bytes;
  guint8  sends;           /* in the ring of its gate */
  guint8  in_phase;
  guint32 window_end;      /* packets that may be made so far */
  guint32 window_step;     /* packets; 0: no window */
  guint32 next_probe, probe_step;
  gint64  ready_ps;        /* not before; of a flow with a cap */
  guint64 cap_bps;
  gint64  begin_ps, probed_ps;
  gint64  last_ps;         /* latest delivery so far */
  guint32 probed_number;
  guint32 charges;         /* first of its list */
  guint64 n_bytes;         /* all of it */
  guint32 load;            /* an open-loop source, where op is FAB_NONE */
  guint32 n_tries;         /* timeouts without a packet that came in */
  guint8  lost, told;      /* a packet was lost; the receiver said so of the one it waits for */
  guint8  adaptive;        /* its packets may pass each other */
  guint64 lost_bytes;      /* of such, to be sent again */
  guint32 n_lost, n_out_of_order;
  guint8  going_back, retrying, ended;   /* a GO_BACK, a RETRY event will come; its operation has finished */
} FabPacketFlow;

typedef struct _FabPackets FabPackets;
typedef struct _FabPacketArbiters FabPacketArbiters;
typedef struct _FabPacketProtocol FabPacketProtocol;
typedef struct _FabPacketLoad FabPacketLoad;
typedef struct _FabPacketAdapt FabPacketAdapt;

typedef struct
{
  gint64  starved_ps;      /* of the lane when it came into its queue */
  guint32 root_link;       /* the last where it waited; FAB_NONE */
  gint64  turn_ps, credit_ps;   /* there: others were sent, room was lacking */
  gint64  head_ps;         /* there: behind others of its input that wait for another link */
  gint64  head_here_ps;    /* where it is now */
  guint32 next_free;
} FabPacketProbe;

/* A part of a transfer's time: to whom it is charged. */
typedef struct
{
  gint64      time_ps;
  guint32     link;
  FabWaitKind kind;
  guint32     next;
} FabPacketCharge;

/* The one queue of an input and lane, in front of the queues for outputs: only its head stands in one of those. */
typedef struct
{
  guint32 head, tail;      /* packets */
  guint8  busy;            /* one is at the head, or being read */
  guint8  single;          /* the receiver is a switch: one queue an input; else one an output */
} FabPacketInput;

struct _FabPackets
{
  /* The inner loop's. */
  FabPacketClock    clock;
  FabPacket        *packets;
  FabPacketQueue   *queues;
  FabPacketLaneRow *lanes;
  FabPacketLaneMore *more;         /* one a lane */
  FabPacketLinkRow *links;
  guint32          *hops;          /* queues or ways, each path ended by FAB_NONE */
  FabPacketFlow    *flows;
  FabPacketGate    *gates;
  FabPacketProbe   *probes;
  guint32          *probe_of;      /* one a packet */
  gint64           *reads;         /* FAB_PACKET_MAX_SPEEDUP a link: when what it feeds will have been read */
  gint64           *pair_free_ps;  /* one a cable: when both directions together may go on */
  FabPacketInput   *inputs;        /* one a lane; NULL: queues for each output */
  guint32           free_packet, free_probe;
  guint32           read_speedup;
  gboolean          special;       /* inputs or protocols */
  gboolean          looks_ahead;   /* the rows outgrow the caches: fetch those of events to come */
  guint32           n_in_flight;
  guint32           n_timers;      /* pending events that only say that nothing happened */
  guint32           n_failed;      /* transfers given up */
  guint64           n_out_of_order;   /* packets that came in before one sent earlier, of transfers that ended */
  guint32           n_loads_left;  /* open-loop sources that still send */
  FabPacketProtocol *protocols;    /* one a lane; NULL: credits come back by themselves */
  FabPacketLoad    *loads;
  guint16          *next_track;    /* one a link, with @inputs: from the start of a full packet to NEXT */
  guint64           n_hops;        /* data packets that crossed a link */
  guint64           n_delivered_bytes;

  /* Set up and grown between. */
  const FabEngineInput   *input;
  const FabPacketOptions *options;
  FabResult        *result;
  FabPaths         *paths;
  FabPacketMap      queue_of;      /* (in lane or gate, lane) → row */
  FabPacketMap      hops_of;       /* (path, lane slot) → first hop */
  FabPacketAdapt   *adapt;         /* NULL: nothing is routed adaptively */
  guint32          *adapt_to;      /* one a link: the device it leads to */
  guint16          *adapt_track;   /* one a link: from the start of a full packet to the choice at its end; 0: odd */
  guint32          *gate_of;       /* one a lane; FAB_NONE */
  guint32          *last_fed;      /* one a link: the last made of the queues it feeds; FAB_NONE */
  guint32          *sibling;       /* one a queue: the one its link fed before it; FAB_NONE */
  guint8           *slots;         /* 16 a plane: which of a link's lanes a VL is; 255: not in use */
  guint8           *n_slots, *n_vls;   /* one a plane: lanes in use, data lanes there are */
  guint64          *pair_bps;      /* one a cable; 0: no cap */
  guint32           unit_bytes;    /* of a packet inside nodes */
  guint32           n_lanes, n_links;
  guint32           n_packets, n_probe_rows, n_queues, n_siblings, n_hop_rows, n_flows, n_gates, n_probes;
  guint32           packet_room, probe_of_room, queue_room, sibling_room, hop_room, flow_room, gate_room, probe_room;
  gboolean          nics_are_ends;
  GArray           *charges;       /* FabPacketCharge */
  guint32           free_flow, free_charge;
  FabPacketArbiters *arbiters;
};

/* Rows on cache lines, many of them on large pages; freed by g_aligned_free(). Zeroed where new. */
gpointer fab__packet_rows_new     (gsize n, gsize size);
gpointer fab__packet_rows_grow    (gpointer rows, guint32 n, guint32 room, gsize size);

/* Room for one row more: doubles. */
#define fab__packet_grow(rows, n, room) \
  G_STMT_START { \
    if (G_UNLIKELY ((n) == (room))) \
      { \
        (room) = MAX (2 * (room), 64); \
        (rows) = fab__packet_rows_grow ((rows), (n), (room), sizeof *(rows)); \
      } \
  } G_STMT_END

/* ---- sizes and times ---- */

static inline guint32
fab__packet_blocks (const FabPacketLinkRow *link, guint32 payload_bytes)
{
  return (payload_bytes + link->header_bytes + FAB_PACKET_BLOCK_BYTES - 1) / FAB_PACKET_BLOCK_BYTES;
}

/* Rounded to the later. */
static inline gint64
fab__packet_bits_ps (guint64 n_bytes, guint64 rate_bps)
{
  return (gint64) (((FabWide) n_bytes * 8000000000000u + rate_bps - 1) / rate_bps);
}

static inline gint64
fab__packet_time_ps (FabPacketLinkRow *link, guint32 payload_bytes)
{
  if (G_LIKELY (payload_bytes == link->full_bytes))
    return link->full_ps;
  if (payload_bytes != link->odd_bytes)
    {
      link->odd_bytes = (guint16) payload_bytes;
      link->odd_ps = fab__packet_bits_ps (payload_bytes + link->header_bytes, link->rate_bps);
    }
  return link->odd_ps;
}

/* ---- fab-packet-fabric.c ---- */

/* Of the receiver at the end of @link, for one lane; its rate must be set. */
guint64 fab__packet_buffer_bytes (const FabPackets *packets, guint32 link);
gboolean fab__packet_fabric_init  (FabPackets *packets, GError **error);
void     fab__packet_fabric_clear (FabPackets *packets);
/* The lane that @sl travels on over @plane; FAB_SUBNET_VL15: it is dropped. */
guint    fab__packet_vl           (const FabPackets *packets, guint32 plane, guint sl);
guint    fab__packet_vl_of_path   (const FabPackets *packets, guint32 path, guint sl);
gboolean fab__packet_is_dropped   (const FabPackets *packets, guint32 path, guint sl);
const FabQos *fab__packet_qos     (const FabPackets *packets, guint32 plane);   /* NULL: it has no tables */
/* The hops of @path on lane @vl; made where not known. @gate is set to where its bytes are dealt out. */
guint32  fab__packet_path         (FabPackets *packets, guint32 path, guint vl, guint32 *gate);
guint32  fab__packet_queue        (FabPackets *packets, guint32 in_lane, guint32 gate, guint32 lane);
/* From the start of a packet on @in_lane to when it may leave over @out_lane. */
gint64   fab__packet_arrive_ps    (FabPackets *packets, guint32 in_lane, guint32 out_lane, guint32 payload_bytes);
/* From the start of a packet on @link to when all of it is where it ends. */
gint64   fab__packet_end_ps       (const FabPackets *packets, guint32 link);
gint64   fab__packet_back_ps      (const FabPackets *packets, guint32 link);
/* The payload of a full packet over @path, and whether it leaves the node. */
guint32  fab__packet_unit         (const FabPackets *packets, guint32 path, gboolean *leaves);

guint32  fab__packet_lane         (const FabPackets *packets, guint32 link, guint vl);
/* As fab__packet_arrive_ps(), to the switch at the end of @in_lane, where the output is not known yet: the fastest. */
gint64   fab__packet_choice_ps    (FabPackets *packets, guint32 in_lane, guint32 payload_bytes);

/* ---- fab-packet-adapt.c ---- */

guint32  fab__packet_way          (FabPackets *packets, guint32 plane, guint32 port, guint vl);
gboolean fab__packet_is_there     (const FabPackets *packets, guint32 way, guint32 link);
guint32  fab__packet_choose_way   (FabPackets *packets, guint32 way, guint32 in_lane);
void     fab__packet_adapt_clear  (FabPackets *packets);

/* ---- fab-packet-switch.c ---- */

/* @packet may leave the queue it is in from now on. */
void     fab__packet_arrive       (FabPackets *packets, guint32 packet);
/* @link is free: sends what is to be sent, if anything may. */
void     fab__packet_serve        (FabPackets *packets, guint32 link);
/* The queue that @lane serves next, with the one before it in the ring; FAB_NONE where none may send. @retry_ps is lowered to when
 * an input will be readable. */
guint32  fab__packet_choose_queue (FabPackets *packets, guint32 lane, guint32 *before, gint64 *retry_ps);
/* Runs at most @n events, until one that is not of packets and links: it is given in @event (else FAB_PACKET_NOTHING). FALSE: none is left. */
gboolean fab__packet_run          (FabPackets *packets, guint64 n, FabPacketEvent *event);

/* ---- fab-packet-arbiter.c: which of a link's virtual lanes sends ---- */

gboolean fab__packet_arbiters_init (FabPackets *packets, GError **error);
void     fab__packet_arbiters_clear (FabPackets *packets);

/* Of the lanes of @link that may send, the one whose turn it is, and what fab__packet_choose_queue() says of it. */
guint32  fab__packet_arbitrate    (FabPackets *packets, guint32 link, guint32 *lane, guint32 *before, gint64 *retry_ps);

/* ---- fab-packet-source.c ---- */

/* Sends @bytes of @op over @path from now on. */
void     fab__packet_flow_begin   (FabPackets *packets, guint32 op, guint32 path, guint vl, gint64 begin_ps);
void     fab__packet_flow_end     (FabPackets *packets, guint32 flow);
void     fab__packet_flow_ready   (FabPackets *packets, guint32 flow);
void     fab__packet_flow_posted  (FabPackets *packets, guint32 flow);
/* Lets the gate's flows send as far as it may run ahead. */
void     fab__packet_fill         (FabPackets *packets, guint32 gate);
/* @packet starts on the last lane of its way, for @time_ps. */
void     fab__packet_deliver      (FabPackets *packets, guint32 packet, guint32 lane, gint64 time_ps);

void     fab__packet_free         (FabPackets *packets, guint32 packet);
void     fab__packet_credit       (FabPackets *packets, guint32 lane, gint32 blocks);
/* The next of @lane to be served, taken out of its queue. */
guint32  fab__packet_take_first   (FabPackets *packets, guint32 lane);
void     fab__packet_next         (FabPackets *packets, guint32 in_lane);
guint32  fab__packet_flow_open    (FabPackets *packets, guint32 load, guint32 path, guint vl, guint64 n_packets);
/* One packet of @flow, whatever its gate holds. */
void     fab__packet_flow_push    (FabPackets *packets, guint32 flow);

/* ---- fab-packet-protocol.c ---- */

void     fab__packet_protocols_init (FabPackets *packets);
gboolean fab__packet_protocol_sends (FabPackets *packets, guint32 lane, guint32 payload_bytes, gint64 time_ps);
void     fab__packet_granted      (FabPackets *packets, guint32 lane, guint32 value);
void     fab__packet_grant_due    (FabPackets *packets, guint32 lane, gboolean forth);
void     fab__packet_released     (FabPackets *packets, guint32 lane, guint32 value);

/* ---- fab-packet-life.c ---- */

void     fab__packet_lives_init   (FabPackets *packets);
void     fab__packet_life_watch   (FabPackets *packets, guint32 lane);
void     fab__packet_life         (FabPackets *packets, guint32 lane);
void     fab__packet_discard      (FabPackets *packets, guint32 packet);
void     fab__packet_lose         (FabPackets *packets, guint32 packet);
void     fab__packet_out_of_order (FabPackets *packets, guint32 flow, gint64 at_ps);
void     fab__packet_go_back      (FabPackets *packets, guint32 flow);
void     fab__packet_retry        (FabPackets *packets, guint32 flow, guint32 n_delivered);

/* ---- fab-packet-deadlock.c ---- */

/* Nothing moves: TRUE, with the cycle in the result, where lanes wait for each other. */
gboolean fab__packet_find_deadlock (FabPackets *packets);

/* ---- fab-packet-load.c ---- */

gboolean fab__packet_loads_init   (FabPackets *packets, GError **error);
void     fab__packet_loads_clear  (FabPackets *packets);
void     fab__packet_load_arrives (FabPackets *packets, guint32 load);
guint32  fab__packet_load_hop     (FabPackets *packets, guint32 load);

/* ---- fab-packet-report.c ---- */

void     fab__packet_report       (FabPackets *packets);

/* ---- fab-packet-probe.c: some packets are watched, so that a transfer's time can be charged ---- */

guint32  fab__packet_probe_new    (FabPackets *packets);
void     fab__packet_probe_free   (FabPackets *packets, guint32 packet);
/* @packet got to the head of its input's queue, after @wait_ps. */
void     fab__packet_probe_heads  (FabPackets *packets, guint32 packet, gint64 wait_ps);
void     fab__packet_probe_enters (FabPackets *packets, guint32 packet, guint32 lane);
void     fab__packet_probe_leaves (FabPackets *packets, guint32 packet, guint32 lane);
/* Charges the time of @flow since its last probe, and frees @packet's. */
void     fab__packet_probe_ends   (FabPackets *packets, FabPacketFlow *flow, guint32 packet);
/* The charges of @flow as segments one after the other, the last of them returned; FAB_NONE: it took no time. Frees the charges. */
guint32  fab__packet_probe_segments (FabPackets *packets, FabPacketFlow *flow, GArray *segments);

G_END_DECLS
