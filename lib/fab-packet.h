/* fab-packet.h - what may be set of the packet engine, and what it alone can tell
 *
 * Plain values. A number that no vendor publishes is an estimate and says so.
 */
#pragma once
#include "fab-result.h"

G_BEGIN_DECLS

/* An open-loop source: packets of its own, beside the schedule's transfers, each to one of @dsts at random. */
typedef struct
{
  guint32        src;            /* a device that sends */
  const guint32 *dsts;           /* borrowed */
  guint          n_dsts;
  double         load_ratio;     /* of the first link's rate: Poisson arrivals; 0: saturated */
  guint64        n_packets;      /* arrivals before it stops */
  guint8         sl;
  guint32        plane;
} FabPacketSource;

typedef struct
{
  /* Switches. */
  gboolean store_and_forward;    /* FALSE: cut-through, never slower out than in */
  gboolean fifo;                 /* one queue an input and lane; FALSE: a queue for each output over the shared buffer */
  guint    read_speedup;         /* outputs that an input feeds at once; 2: a 400G port can feed two hosts of 200G */

  /* Buffers a lane where the part gives no buffer_per_vl; at most 2048 blocks of 64 bytes count on InfiniBand. */
  guint64  switch_buffer_bytes;  /* estimate: 128 KiB, the most that 12-bit credit counters grant */
  guint64  nic_buffer_bytes;     /* estimate: as switches */
  guint64  pcie_buffer_bytes;    /* 0: what the round trip needs and 8 units, and in a NIC what it fetches */

  /* Flow control. */
  gint64   credit_interval_ps;   /* least time between two flow-control packets of a lane; 0: at once, for nothing */
  guint    lose_credit_every;    /* one in so many flow-control packets is lost, by chance; 0: none */
  guint    lose_data_every;      /* one in so many data packets over a cable is lost to a bit error, by chance; 0: none */

  /* Lifetimes, 4.096 µs × 2^n; above 19: never. OpenSM include/opensm/osm_base.h */
  guint    head_life;            /* at the head of a queue between switches; 0x12 */
  guint    leaf_head_life;       /* from a switch to a host; 0x10 */
  guint    stall_count;          /* packets dropped in a row that stall a lane, for 8 head lives; 7 */

  /* Hosts. */
  guint64  window_bytes;         /* a transfer over the network has at most so much under way; 0: no limit. NCCL: 8 steps of 512 KiB */
  guint64  window_step_bytes;    /* the receiver grants this much at a time */
  guint    retry_count;          /* 7, NCCL_IB_RETRY_CNT */
  guint    retry_timeout;        /* 4.096 µs × 2^n; 20, NCCL_IB_TIMEOUT */

  const guint32 *stopped;        /* devices that take nothing out of their buffers any more; borrowed */
  guint          n_stopped;
  const FabPacketSource *sources; /* borrowed */
  guint          n_sources;
} FabPacketOptions;

FAB_API void fab_packet_options_init (FabPacketOptions *options);

/* Counters of one lane of a directed link: the sending port's Xmit side and the receiving port's Rcv side, named as perfquery names
 * them. Data counts 4-byte words of whole packets. */
typedef struct
{
  guint32 link;
  guint8  vl;
  guint64 xmit_data, xmit_pkts;   /* PortXmitData, PortXmitPkts: of the port that sends over @link */
  guint64 rcv_data, rcv_pkts;     /* PortRcvData, PortRcvPkts: of the port at its end */
  guint64 xmit_wait_ps;           /* PortXmitWait, as time: packets stood here and the receiver had no credit for them */
  guint64 xmit_discards;          /* PortXmitDiscards: lifetimes run out, or a stalled lane */
  guint64 rcv_errors;             /* PortRcvErrors: packets lost to bit errors */
  guint64 queue_wait_ps;          /* summed over packets: time from when a packet could have left until it did */
  guint32 max_queue;              /* most packets that stood for this lane at once */
  guint32 max_buffer_blocks;      /* most blocks of the receiver's buffer that were taken */
  guint32 buffer_blocks;
} FabPacketLane;

/* What an open-loop source saw. */
typedef struct
{
  guint64 sent, delivered;
  gint64  last_ps;                /* the last delivery */
} FabPacketSourceCount;

/* Of a result of the packet engine; else NULL and 0. Rows by link, then VL. */
FAB_API const FabPacketLane        *fab_result_packet_lanes   (const FabResult *result, gsize *n_lanes);
FAB_API const FabPacketSourceCount *fab_result_packet_sources (const FabResult *result, gsize *n_sources);
/* The links of a deadlock, each lane waiting for buffer behind the next and the last for the first; NULL: none. */
FAB_API const guint32              *fab_result_deadlock       (const FabResult *result, gsize *n_links);

G_END_DECLS
